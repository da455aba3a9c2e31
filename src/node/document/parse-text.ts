// node/document/parse-text.ts: which values are in this text, JSON or YAML? Total: whatever the text is, there is a value or a problem.
import { isObject, type Json } from '../../schema/json.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { Problem } from './problem.ts';

/** Deeper than any document is, and shallow enough for every function that walks one. */
const MAX_DEPTH = 48;

export type ParsedText = { value: Json } | { problem: Problem };

export async function parseText(text: string): Promise<ParsedText> {
  if (text.trim() === '') return problem('config/not-a-node-config', 'is empty');
  if (/^#(?:cloud-config|!|cloud-boothook|include)/.test(text)) {
    return problem('config/not-a-node-config', 'is meant for cloud-init');
  }
  const parsed = tryJson(text) ?? (await parseYaml(text));
  if ('problem' in parsed) return parsed;
  return isTooDeep(parsed.value, MAX_DEPTH) ? problem('config/not-readable', 'is nested too deeply') : parsed;
}

/** JSON is YAML too; it is only read faster, and without loading a library. What is not JSON may still be YAML. */
function tryJson(text: string): ParsedText | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined; // the message quotes the text; YAML's position does not
  }
}

async function parseYaml(text: string): Promise<ParsedText> {
  const yaml = await import('yaml');
  try {
    const lines = new yaml.LineCounter();
    const options = { lineCounter: lines, prettyErrors: false, version: '1.2', resolveKnownTags: false } as const;
    const document = yaml.parseDocument(text, options);
    // A warning is a tag nobody knows: `!!binary`, `!include`. A document has no use for them.
    const [error] = [...document.errors, ...document.warnings];
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      const isAtEnd = error.code !== 'MULTIPLE_DOCS' && error.pos[0] >= text.trimEnd().length;
      return isAtEnd
        ? problem('config/truncated', `ends in the middle, at line ${line}`)
        : problem('config/not-readable', `cannot be read as YAML at line ${line}, column ${col} (${error.code})`);
    }
    return { value: plain(document.toJS({ maxAliasCount: 50 })) };
  } catch {
    // Aliases without end, or nested deeper than the library goes. What it says may quote the text.
    return problem('config/not-readable', 'cannot be read as YAML');
  }
}

/** YAML knows more kinds of values than JSON; what it made of `2026-01-01` or `.inf` has to be text or nothing else. */
function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'boolean' || typeof value === 'string' ? value : String(value);
}

function isTooDeep(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  return (Array.isArray(value) ? value : Object.values(value)).some((item) => isTooDeep(item, left - 1));
}

/** A name that means something to the language this is written in is no name in a document. */
export function hasReservedKey(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasReservedKey);
  return isObject(value) && (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasReservedKey));
}

function problem(reason: ReasonCode, message: string): { problem: Problem } {
  return { problem: { reason, path: '', message } };
}
