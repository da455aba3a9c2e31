// node/document/parse-text.ts: which value is in this JSON or YAML text? Every text gives a value or a problem; nothing is thrown.
import { isObject, type Json } from '../../schema/json.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { Problem } from './problem.ts';

/** Deeper than any valid document, and shallow enough for recursive functions. */
const MAX_DEPTH = 48;

export type ParsedText = { value: Json } | { problem: Problem };

export async function parseText(text: string): Promise<ParsedText> {
  if (text.trim() === '') return problem('config/not-a-node-config', 'is empty');
  if (/^#(?:cloud-config|!|cloud-boothook|include)/.test(text)) {
    return problem('config/not-a-node-config', 'is for cloud-init, not a NodeConfig');
  }
  const parsed = tryJson(text) ?? (await parseYaml(text));
  if ('problem' in parsed) return parsed;
  return isTooDeep(parsed.value, MAX_DEPTH) ? problem('config/not-readable', 'is nested too deeply') : parsed;
}

/** JSON is also YAML, but JSON.parse is faster and loads no library. Text that is not JSON may still be YAML. */
function tryJson(text: string): ParsedText | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined; // the error of JSON.parse quotes the text, which may contain secrets; the YAML error gives a position only
  }
}

async function parseYaml(text: string): Promise<ParsedText> {
  const yaml = await import('yaml');
  try {
    const lines = new yaml.LineCounter();
    const options = { lineCounter: lines, prettyErrors: false, version: '1.2', resolveKnownTags: false } as const;
    const document = yaml.parseDocument(text, options);
    // A warning is an unknown tag: `!!binary`, `!include`. Documents must not use tags.
    const [error] = [...document.errors, ...document.warnings];
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      const isAtEnd = error.code !== 'MULTIPLE_DOCS' && error.pos[0] >= text.trimEnd().length;
      return isAtEnd
        ? problem('config/truncated', `is truncated at line ${line}`)
        : problem('config/not-readable', `is not valid YAML at line ${line}, column ${col} (${error.code})`);
    }
    return { value: plain(document.toJS({ maxAliasCount: 50 })) };
  } catch {
    // Too many aliases, or nested deeper than the library supports. Its message may quote the text, so drop it.
    return problem('config/not-readable', 'is not valid YAML');
  }
}

/** YAML has more types than JSON; values such as `.inf` become text. */
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

/** `__proto__` as a key would change an object's prototype when it is assigned. */
export function hasReservedKey(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasReservedKey);
  return isObject(value) && (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasReservedKey));
}

function problem(reason: ReasonCode, message: string): { problem: Problem } {
  return { problem: { reason, path: '', message } };
}
