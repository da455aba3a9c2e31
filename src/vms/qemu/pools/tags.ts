// vms/qemu/pools/tags.ts: compute the tags after a change; null removes a tag.

export function tagsAfter(
  tags: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const after = Object.entries({ ...tags, ...changes });
  return Object.fromEntries(after.filter((one): one is [string, string] => one[1] !== null));
}
