// node/document/schema/difference.ts: where do two documents differ, and how is the first restored from the second?
import { isObject, type Json, type JsonObject } from '../../../schema/json.ts';

/** At the JSON Pointer `at` the value `was` one thing and now reads `as` another. Absent: no value. */
export type DocumentDifference = { at: string; was?: Json; as?: Json };

/** A list is compared as a whole, because its entries have no names. */
export function documentDifferences(was: Json | undefined, as: Json | undefined, at = ''): DocumentDifference[] {
  if (isObject(was) && isObject(as)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(as)]);
    return [...keys].flatMap((key) => documentDifferences(own(was, key), own(as, key), `${at}/${pointerWord(key)}`));
  }
  if (isSameJson(was, as)) return [];
  return [{ at, ...(was !== undefined && { was }), ...(as !== undefined && { as }) }];
}

/** Restores what `was`, except where `document` was edited since: an edit takes precedence. */
export function restore(document: JsonObject, kept: Json | undefined): JsonObject {
  if (!Array.isArray(kept)) return document;
  return kept.filter(isDifference).reduce((restored: JsonObject, { at, was, as }) => {
    const path = at.split('/').slice(1).map(keyOf);
    return isSameJson(valueAtPath(restored, path), as) ? withValue(restored, path, was) : restored;
  }, document);
}

export function valueAtPath(document: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (isObject(value) ? own(value, key) : undefined), document);
}

/** Undefined removes the value, and the object around it if that becomes empty. A path through a value that is not an object changes nothing. */
export function withValue(document: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? value : document;
  const inside = own(document, key);
  if (rest.length === 0) return value === undefined ? without(document, key) : { ...document, [key]: value };
  if (!isObject(inside) && (inside !== undefined || value === undefined)) return document;
  const changed = withValue(inside ?? {}, rest, value);
  if (value === undefined && Object.keys(changed).length === 0 && changed !== inside) return without(document, key);
  return { ...document, [key]: changed };
}

export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => isSameJson(a[key], own(b, key)));
  }
  return Object.is(a, b) || (a === 0 && b === 0);
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.hasOwn(object, key)
    ? Object.fromEntries(Object.entries(object).filter(([other]) => other !== key))
    : object;
}

function isDifference(value: Json): value is { at: string; was?: Json; as?: Json } {
  return isObject(value) && typeof value.at === 'string' && /^\/./.test(value.at);
}

const pointerWord = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const keyOf = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
