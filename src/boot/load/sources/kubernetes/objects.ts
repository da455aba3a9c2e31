// boot/load/sources/kubernetes/objects.ts: which objects does the output of `kubectl get -o json|yaml` contain?
import type { Note } from '../../../model/record.ts';
import type { Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import { parseIsoStamp } from '../logs/log-stamp.ts';

export type ObjectFields = Record<string, unknown>;

/** Nested aliases could expand a small text into a huge object. */
const MAX_ALIASES = 100;
const MAX_BYTES = 256 << 20;

/** Every document in JSON or YAML. YAML is parsed only if the text has `kind`: it is slow. */
export async function kubernetesDocuments(
  input: Input,
  kind: RegExp,
): Promise<{ documents: unknown[]; notes: Note[] }> {
  const warn = (text: string): Note => ({ level: 'warning', text: `${input.name}: ${text}` });
  const { text, isCut } = boundedText(input, MAX_BYTES);
  if (isCut) return { documents: [], notes: [warn('too large for a list of Kubernetes objects')] };
  try {
    return { documents: [JSON.parse(text)], notes: [] };
  } catch {
    // Not JSON, or truncated JSON: the YAML parser reads both as far as possible.
  }
  if (!kind.test(text)) return { documents: [], notes: [] };
  if (isTooDeep(text)) return { documents: [], notes: [warn('nested too deeply for a Kubernetes object')] };
  const { parseAllDocuments } = await import('yaml'); // slow to load, and most inputs are JSON
  const documents: unknown[] = [];
  const notes: Note[] = [];
  try {
    for (const document of parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false })) {
      const problem = document.errors[0];
      if (problem)
        notes.push(
          warn(
            `line ${problem.linePos?.[0].line ?? 1}: ${problem.message.split('\n')[0]}; only the readable part is used`,
          ),
        );
      try {
        documents.push(document.toJS({ maxAliasCount: MAX_ALIASES }));
      } catch {
        notes.push(warn('skipped a document with too many or unresolved aliases'));
      }
    }
  } catch {
    notes.push(warn('nested too deeply to parse'));
  }
  return { documents, notes };
}

/** The YAML library takes quadratic time in the nesting depth; a Node nests about ten levels. */
const MAX_DEPTH = 500;

function isTooDeep(text: string): boolean {
  if (/^[ ]*(?:[-?:] +){100}/m.test(text)) return true;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The object itself, or the items of a list. The items of a NodeList have no kind. */
export function objectsIn(document: unknown, kind: string): ObjectFields[] {
  const object = asObject(document);
  if (object.kind === kind) return [object];
  const items = Array.isArray(object.items) ? object.items : [];
  return items
    .map(asObject)
    .filter((item) => item.kind === kind || (object.kind === `${kind}List` && item.kind === undefined));
}

export function conditionOf(object: ObjectFields, type: string): ObjectFields | undefined {
  const { conditions } = asObject(object.status);
  return Array.isArray(conditions) ? conditions.map(asObject).find((condition) => condition.type === type) : undefined;
}

export function asObject(value: unknown): ObjectFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ObjectFields) : {};
}

export function textIn(fields: ObjectFields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function stampIn(fields: ObjectFields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'string' ? parseIsoStamp(value) : undefined;
}
