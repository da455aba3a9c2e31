// vms/qemu/scrub/scrub-answer.ts: did the scrub VM do everything? Every expected item must be reported.

/** A message for every item that failed or is missing; empty when all succeeded. */
export function scrubProblems(answer: string, expected: readonly string[]): string[] {
  const items = [...answer.matchAll(/^([a-z][a-z0-9-]*)=(ok|absent|failed)(?: (.*))?$/gm)];
  const failed = items
    .filter(([, , state]) => state === 'failed')
    .map(([, name, , reason]) => `${name}: ${(reason ?? '').trim() || 'failed'}`);
  // The VM stops at the first failed step, so missing items after it are expected.
  if (failed.length > 0) return failed;
  const done = new Set(items.map(([, name]) => name));
  return expected.filter((name) => !done.has(name)).map((name) => `${name}: not reported as done`);
}
