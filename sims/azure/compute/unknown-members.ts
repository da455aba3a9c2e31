// sims/azure/compute/unknown-members.ts: does a request have a member that Azure does not know? Azure refuses it instead of ignoring it.
import { ArmError } from '../service/arm-error.ts';
import { isObject, type Json, type JsonObject } from '../service/json.ts';
import { MEMBERS } from './members.ts';

/** The type of each member; '' where anything may follow. */
type Members = ReadonlyMap<string, string>;

interface Unknown {
  member: string;
  type: string;
  path: string;
}

/** `type` is the resource's, such as `virtualMachineScaleSets`. */
export function requireKnownMembers(type: string, body: JsonObject): void {
  const unknown = unknownMember(type, body);
  if (!unknown) return;
  const { member, path } = unknown;
  const isAtTop = path === member;
  const found = `Could not find member '${member}' on object of type '${isAtTop ? 'ResourceDefinition' : unknown.type}'. Path '${path}'.`;
  // The front door reads the outermost object, the provider the rest: two codes.
  if (!isAtTop) throw new ArmError(400, 'BadRequest', found);
  const message = `The request content was invalid and could not be deserialized: '${found}'.`;
  throw new ArmError(400, 'InvalidRequestContent', message);
}

/** The first one, in the order of the document. */
export function unknownMember(type: string, value: Json | undefined, path = ''): Unknown | undefined {
  if (Array.isArray(value))
    return firstOf(
      value.map((item, i) => [item, `${path}[${i}]`] as const),
      type,
    );
  if (type.startsWith('*')) {
    const entries = isObject(value) ? Object.entries(value) : [];
    return firstOf(
      entries.map(([key, inner]) => [inner, `${path}['${key}']`] as const),
      type.slice(1),
    );
  }
  const members = types().get(type);
  if (!members || !isObject(value)) return undefined;
  for (const [member, inner] of Object.entries(value)) {
    const here = path === '' ? member : `${path}.${member}`;
    const next = members.get(member);
    if (next === undefined) return { member, type, path: here };
    const deeper = next === '' ? undefined : unknownMember(next, inner, here);
    if (deeper) return deeper;
  }
  return undefined;
}

function firstOf(items: readonly (readonly [Json | undefined, string])[], type: string): Unknown | undefined {
  for (const [item, path] of items) {
    const unknown = unknownMember(type, item, path);
    if (unknown) return unknown;
  }
  return undefined;
}

let parsed: ReadonlyMap<string, Members> | undefined;

function types(): ReadonlyMap<string, Members> {
  parsed ??= new Map(
    MEMBERS.trim()
      .split(/\n(?! )/)
      .map((line) => {
        const [name = '', ...members] = line.split(/\s+/).filter((word) => word !== '=');
        return [name, new Map(members.map((member) => splitOnce(member)))];
      }),
  );
  return parsed;
}

function splitOnce(member: string): [string, string] {
  const [name = '', type = ''] = member.split(':');
  return [name, type];
}
