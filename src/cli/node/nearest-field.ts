// cli/node/nearest-field.ts: which existing field is closest to an unknown field of a document?
import { nearestNames } from '../../base/nearest-names.ts';
import { NODE_CONFIG_VERSIONS } from '../../node/document/schema/convert.ts';
import { fieldsOf } from '../../node/document/schema/fields.ts';

/** ` (did you mean kubelet?)`, or empty if the field exists or nothing is close. A field in another place is given with its path. */
export function nearestField(path: string): string {
  const keys = keysOf(path);
  const name = keys.at(-1) ?? '';
  const known = NODE_CONFIG_VERSIONS.flatMap((version) => fieldsOf(version).map((field) => keysOf(field.path)));
  if (known.some((field) => field.length >= keys.length && isBelow([...field, ''], keys))) return '';
  const siblings = known.filter((field) => isBelow(field, keys.slice(0, -1))).map((field) => field[keys.length - 1]!);
  const near = nearestNames(name, new Set(siblings.filter((sibling) => sibling !== ANY_NAME)));
  const elsewhere = known.filter((field) => field.at(-1)?.toLowerCase() === name.toLowerCase());
  const meant = near.length > 0 ? near : [...new Set(elsewhere.map(written))].slice(0, 2);
  return meant.length === 0 ? '' : ` (did you mean ${meant.join(' or ')}?)`;
}

const ANY_NAME = '<name>';
const ANY_INDEX = '[]';

/** `spec.taints[0].key` and `spec.files["/etc/motd"].mode`, as in documents; `[]` and `<name>`, as in the list of fields. */
function keysOf(path: string): string[] {
  return [...path.matchAll(/\[\d*\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(
    ([whole, quoted, plain]) => plain ?? quoted ?? (whole ? ANY_INDEX : ''),
  );
}

function isBelow(field: readonly string[], parent: readonly string[]): boolean {
  return field.length > parent.length && parent.every((key, i) => field[i] === key || field[i] === ANY_NAME);
}

function written(keys: readonly string[]): string {
  return keys.join('.').replaceAll('.[]', '[]');
}
