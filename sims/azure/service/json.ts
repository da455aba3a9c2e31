// sims/azure/service/json.ts: reading and merging JSON documents of any shape.

export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldAt(document: Json | undefined, ...path: string[]): Json | undefined {
  let value = document;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

export function objectAt(document: Json | undefined, ...path: string[]): JsonObject | undefined {
  const value = fieldAt(document, ...path);
  return isObject(value) ? value : undefined;
}

export function stringAt(document: Json | undefined, ...path: string[]): string | undefined {
  const value = fieldAt(document, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(document: Json | undefined, ...path: string[]): number | undefined {
  const value = fieldAt(document, ...path);
  return typeof value === 'number' ? value : undefined;
}

export function objectsAt(document: Json | undefined, ...path: string[]): JsonObject[] {
  const value = fieldAt(document, ...path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The object at `path`; missing parents are created. */
export function ensureObject(document: JsonObject, ...path: string[]): JsonObject {
  let here = document;
  for (const key of path) {
    const next = here[key];
    if (isObject(next)) here = next;
    else {
      const made: JsonObject = {};
      here[key] = made;
      here = made;
    }
  }
  return here;
}

/** Applies `change`: objects are merged, lists replaced, null removes. */
export function merge(before: Json | undefined, change: Json | undefined): Json | undefined {
  if (change === undefined) return before;
  if (!isObject(change)) return change === null ? undefined : change;
  const merged: JsonObject = isObject(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    const result = merge(merged[key], value);
    if (result === undefined) delete merged[key];
    else merged[key] = result;
  }
  return merged;
}

export function mergeObjects(before: JsonObject, change: JsonObject): JsonObject {
  return merge(before, change) as JsonObject;
}
