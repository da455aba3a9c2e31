// node/document/schema/difference.ts: where do two documents differ, and how is one made from the other again?
import { isObject, type Json, type JsonObject } from '../../../schema/json.ts';

/** At this JSON Pointer it `was` one thing, and stands `as` another; without either there was, or stands, nothing. */
export type DocumentDifference = { at: string; was?: Json; as?: Json };

/** Lists are compared as a whole: an entry has no name to find it by. */
export function documentDifferences(was: Json | undefined, as: Json | undefined, at = ''): DocumentDifference[] {
  if (isObject(was) && isObject(as)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(as)]);
    return [...keys].flatMap((key) => documentDifferences(own(was, key), own(as, key), `${at}/${pointerWord(key)}`));
  }
  if (isSameJson(was, as)) return [];
  return [{ at, ...(was !== undefined && { was }), ...(as !== undefined && { as }) }];
}

/** Puts back what `was`, except where `document` has been changed since: whoever changed it meant it. */
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

/** Undefined removes; a folder that becomes empty by that goes too. A path through something that is no object leads nowhere. */
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
