// sims/azure/referee/bicep-types.ts: does a document have the type that Microsoft generated for it? For providers whose specification is not here.
import { readFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../service/json.ts';

/** A type of `types.json`; `$ref` is `#/` and its index. */
interface BicepType {
  $type: string;
  name?: string;
  value?: string;
  pattern?: string;
  minValue?: number;
  maxValue?: number;
  properties?: Record<string, { type: { $ref: string }; flags: number }>;
  additionalProperties?: { $ref: string };
  itemType?: { $ref: string };
  elements?: { $ref: string }[];
}

export type BicepTypes = readonly BicepType[];

/** A request as a whole, a part of a resource, or an answer. */
export type Side = 'PUT' | 'PATCH' | 'answer';

const REQUIRED = 1;
const READ_ONLY = 2;
/** Of a deployment, not of the document: the resource's id, name and type. */
const OF_DEPLOYMENT = 8;

export function readBicepTypes(file: string): BicepTypes {
  return JSON.parse(readFileSync(file, 'utf8')) as BicepTypes;
}

/** Problems of a document of the resource type with this name, each with its path. */
export function typeFindings(types: BicepTypes, name: string, document: Json | undefined, side: Side): string[] {
  const type = types.find((one) => one.$type === 'ObjectType' && one.name?.toLowerCase() === name.toLowerCase());
  return type ? findingsAt({ types, side }, type, document ?? null, '') : [`there is no type ${name}`];
}

interface Check {
  types: BicepTypes;
  side: Side;
}

function findingsAt(check: Check, type: BicepType, value: Json, path: string): string[] {
  switch (type.$type) {
    case 'ObjectType':
      return isObject(value) ? objectFindings(check, type, value, path) : [wrong(path, 'an object', value)];
    case 'ArrayType':
      if (!Array.isArray(value)) return [wrong(path, 'a list', value)];
      return value.flatMap((item, i) => findingsAt(check, referred(check, type.itemType), item, `${path}/${i}`));
    case 'UnionType': {
      const choices = (type.elements ?? []).map((one) => findingsAt(check, referred(check, one), value, path));
      return choices.some((findings) => findings.length === 0) ? [] : (choices[0] ?? []);
    }
    case 'StringType':
      if (typeof value !== 'string') return [wrong(path, 'a text', value)];
      return type.pattern === undefined || new RegExp(type.pattern).test(value)
        ? []
        : [wrong(path, `a text like ${type.pattern}`, value)];
    case 'StringLiteralType':
      // Recorded: the service does not keep the case of its own types.
      return String(value).toLowerCase() === type.value?.toLowerCase() ? [] : [wrong(path, `'${type.value}'`, value)];
    case 'IntegerType': {
      const { minValue = -Infinity, maxValue = Infinity } = type;
      const isFine = Number.isInteger(value) && Number(value) >= minValue && Number(value) <= maxValue;
      return isFine ? [] : [wrong(path, `a whole number from ${minValue} to ${maxValue}`, value)];
    }
    case 'BooleanType':
      return typeof value === 'boolean' ? [] : [wrong(path, 'true or false', value)];
    default:
      return [`${path || '/'}: the referee does not know ${type.$type}`];
  }
}

function objectFindings(check: Check, type: BicepType, value: JsonObject, path: string): string[] {
  const { side } = check;
  const known = type.properties ?? {};
  const missing = Object.entries(known).flatMap(([key, { flags }]) =>
    isRequired(flags, side) && value[key] === undefined ? [`${path}/${key}: is missing`] : [],
  );
  const present = Object.entries(value).flatMap(([key, inner]) => {
    if (inner === undefined) return [];
    const property = known[key];
    if (!property)
      return type.additionalProperties
        ? findingsAt(check, referred(check, type.additionalProperties), inner, `${path}/${key}`)
        : [`${path}/${key}: is not a field of ${type.name}`];
    if (side !== 'answer' && property.flags & READ_ONLY && !(property.flags & OF_DEPLOYMENT))
      return [`${path}/${key}: is read-only`];
    return findingsAt(check, referred(check, property.type), inner, `${path}/${key}`);
  });
  return [...missing, ...present];
}

function isRequired(flags: number, side: Side): boolean {
  if (!(flags & REQUIRED)) return false;
  if (side === 'answer') return true;
  return side === 'PUT' && !(flags & (READ_ONLY | OF_DEPLOYMENT));
}

function referred({ types }: Check, reference: { $ref: string } | undefined): BicepType {
  return types[Number(reference?.$ref.slice(2))] ?? { $type: 'nothing' };
}

function wrong(path: string, expected: string, value: Json): string {
  return `${path || '/'}: expected ${expected}, got ${JSON.stringify(value)?.slice(0, 60)}`;
}
