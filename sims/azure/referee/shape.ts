// sims/azure/referee/shape.ts: which fields do documents of one kind have always, sometimes or never, and of which type?
import { isObject, type Json, type JsonObject } from '../service/json.ts';

/** By path of an object; items of a list share one path. */
export type Shape = Map<string, ObjectShape>;

interface ObjectShape {
  seen: number;
  fields: Map<string, { seen: number; types: Set<string> }>;
}

export type ShapeDifference =
  /** In every recording, and missing here. */
  | 'lacking'
  /** Here, and in no recording. */
  | 'unrecorded'
  /** In both, as different types. */
  | 'contradicted';

/** Their keys are data, not fields. */
const MAPS = /\/(tags|userAssignedIdentities)$/;

export function addToShape(shape: Shape, document: Json): void {
  walk(document, '', (path, object) => {
    const known = shape.get(path) ?? { seen: 0, fields: new Map() };
    shape.set(path, known);
    known.seen++;
    for (const [key, value] of fieldsOf(object)) {
      const field = known.fields.get(key) ?? { seen: 0, types: new Set<string>() };
      known.fields.set(key, field);
      field.seen++;
      field.types.add(typeOf(value));
    }
  });
}

/** Fields below an unrecorded field are not compared. */
export function shapeDifferences(
  shape: Shape,
  document: Json,
): { fields: number; found: Map<string, ShapeDifference> } {
  const found = new Map<string, ShapeDifference>();
  let fields = 0;
  walk(document, '', (path, object) => {
    const known = shape.get(path);
    if (!known) return;
    for (const [key, value] of fieldsOf(object)) {
      fields++;
      const field = known.fields.get(key);
      if (!field) found.set(`${path}/${key}`, 'unrecorded');
      else if (!field.types.has(typeOf(value))) found.set(`${path}/${key}`, 'contradicted');
    }
    for (const [key, { seen }] of known.fields) {
      if (seen === known.seen && object[key] === undefined) found.set(`${path}/${key}`, 'lacking');
    }
  });
  return { fields, found };
}

function walk(value: Json, path: string, visit: (path: string, object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, `${path}/[]`, visit);
  else if (isObject(value) && !MAPS.test(path)) {
    visit(path, value);
    for (const [key, inner] of fieldsOf(value)) walk(inner, `${path}/${key}`, visit);
  }
}

function fieldsOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).filter((field): field is [string, Json] => field[1] !== undefined);
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
