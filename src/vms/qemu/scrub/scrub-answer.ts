// vms/qemu/scrub/scrub-answer.ts: did the VM that edits a copy do all it had to? Only what it says item by item counts.

/** Every item that failed or is missing, in words; empty when all is well. */
export function scrubProblems(answer: string, expected: readonly string[]): string[] {
  const items = [...answer.matchAll(/^([a-z][a-z0-9-]*)=(ok|absent|failed)(?: (.*))?$/gm)];
  const failed = items
    .filter(([, , state]) => state === 'failed')
    .map(([, name, , reason]) => `${name}: ${(reason ?? '').trim() || 'failed'}`);
  // Nothing follows a step that failed, so what is missing then is no news.
  if (failed.length > 0) return failed;
  const done = new Set(items.map(([, name]) => name));
  return expected.filter((name) => !done.has(name)).map((name) => `${name}: not reported as done`);
}
