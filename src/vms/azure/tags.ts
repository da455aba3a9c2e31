// vms/azure/tags.ts: compute the tags after a change. An update contains all tags, because Azure may remove those it omits (docs/azure.md).

/** Undefined when nothing would change. */
export function tagsAfter(
  seen: Readonly<Record<string, string>> | undefined,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> | undefined {
  const tags: Record<string, string> = { ...seen };
  let isChanged = false;
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) {
      isChanged ||= Object.hasOwn(tags, name);
      delete tags[name];
    } else {
      isChanged ||= tags[name] !== value;
      tags[name] = value;
    }
  }
  return isChanged ? tags : undefined;
}
