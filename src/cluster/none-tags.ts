// cluster/none-tags.ts: annotations of a node without a cluster, stored as tags of its instance.

/** Replaces `spec.unschedulable`: there is no scheduler, but a resumed run has to see that it cordoned the node. */
export const CORDON_TAG = 'headstart-cordoned';
const PREFIX = 'headstart-note:';
/** Azure's limit, the lowest; a longer value continues in `name#1`, `name#2`. */
const LONGEST_VALUE = 256;

type Tags = Readonly<Record<string, string>>;

export function annotationsOf(tags: Tags): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [tag, value] of Object.entries(tags)) {
    if (!tag.startsWith(PREFIX) || tag.includes('#')) continue;
    const rest = partsOf(tag, tags).map((part) => tags[part]);
    found[tag.slice(PREFIX.length).replaceAll(':', '/')] = [value, ...rest].join('');
  }
  return found;
}

/** The tag change for an annotation change; null removes. */
export function annotationTags(
  annotations: Readonly<Record<string, string | null>>,
  tags: Tags,
): Record<string, string | null> {
  const change: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(annotations)) {
    // A tag name may not contain a slash; an annotation name never contains a colon or a number sign.
    const name = PREFIX + key.replaceAll('/', ':');
    for (const part of [name, ...partsOf(name, tags)]) change[part] = null;
    if (value === null) continue;
    change[name] = value.slice(0, LONGEST_VALUE);
    for (let i = 1; i * LONGEST_VALUE < value.length; i++) {
      change[`${name}#${i}`] = value.slice(i * LONGEST_VALUE, (i + 1) * LONGEST_VALUE);
    }
  }
  return change;
}

function partsOf(name: string, tags: Tags): string[] {
  const parts: string[] = [];
  for (let i = 1; tags[`${name}#${i}`] !== undefined; i++) parts.push(`${name}#${i}`);
  return parts;
}
