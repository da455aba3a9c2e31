// node/desired/toml.ts: how is a configuration written as TOML, and which settings does such a text hold? Enough to write containerd's
// files and to tell which of their settings differ; what users write in TOML is never interpreted.
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

export function renderToml(root: JsonObject): string {
  return `${[...renderTable(root, [])].join('\n').trim()}\n`;
}

/** Values first: after the first table of TOML there is no way back to the one above it. */
function* renderTable(table: JsonObject, path: readonly string[]): Generator<string> {
  const entries = Object.entries(table).filter(([, value]) => value !== null);
  const values = entries.filter(([, value]) => !isObject(value));
  if (path.length > 0 && (values.length > 0 || entries.length === 0)) yield `\n${tableHeader(path)}`;
  for (const [key, value] of values) yield `${renderKey(key)} = ${renderValue(value)}`;
  for (const [key, value] of entries) if (isObject(value)) yield* renderTable(value, [...path, key]);
}

function tableHeader(path: readonly string[]): string {
  return `[${path.map(renderKey).join('.')}]`;
}

function renderKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : renderText(key);
}

function renderValue(value: Json): string {
  if (typeof value === 'string') return renderText(value);
  if (Array.isArray(value))
    return `[${value
      .filter((item) => item !== null)
      .map(renderValue)
      .join(', ')}]`;
  if (!isObject(value)) return typeof value === 'number' ? renderNumber(value) : String(value);
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return `{ ${entries.map(([key, item]) => `${renderKey(key)} = ${renderValue(item)}`).join(', ')} }`;
}

/** `1e21` needs a point to be a float in TOML's eyes, and whole numbers end at 64 bits. */
function renderNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const text = String(value);
  return /[.]/.test(text) || !text.includes('e') ? text : text.replace('e', '.0e');
}

/** TOML takes JSON's escapes, except that it forbids the DEL that JSON leaves alone. */
function renderText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

/**
 * Settings as they are written, by table and key: `[a."b"]` and `c = 1` give `a."b".c` → `1`. A line that is neither is part of the
 * value before it. Comments and empty lines are nothing.
 */
export function tomlSettings(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  let table = '';
  let last: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = HEADER.exec(line)?.[1];
    const setting =
      /^((?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$/.exec(
        line,
      );
    if (header !== undefined) {
      table = sameSpelling(header);
      last = undefined;
    } else if (setting) {
      last = [table, sameSpelling(setting[1]!)].filter(Boolean).join('.');
      settings.set(last, setting[2]!);
    } else if (last !== undefined) {
      settings.set(last, `${settings.get(last)}\n${line}`);
    }
  }
  return settings;
}

const HEADER = /^\[{1,2}\s*((?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'|[\s.])+?)\s*\]{1,2}\s*(?:#.*)?$/;

/** Why `added` cannot stand after `rendered`; undefined if it can. TOML takes a table once, and nothing outside tables after one. */
export function appendProblem(rendered: string, added: string): string | undefined {
  const lines = added.split(/\r?\n/).map((line) => line.trim());
  const first = lines.find((line) => line !== '' && !line.startsWith('#'));
  if (first === undefined) return undefined;
  if (!HEADER.test(first))
    return 'does not start with a table such as [debug]: what comes before the first would land in another one';
  const taken = new Set(tablesOf(rendered.split('\n')));
  const twice = tablesOf(lines).find((table) => taken.has(table));
  return twice === undefined ? undefined : 'has a table that headstart writes itself';
}

function tablesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const header = HEADER.exec(line.trim())?.[1];
    return header === undefined || line.trim().startsWith('[[') ? [] : [sameSpelling(header)];
  });
}

/** `'x'."y" . z` and `x.y.z` name the same; keys that need quotes get double ones. */
function sameSpelling(key: string): string {
  const parts = key.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g) ?? [];
  return parts.map((part) => (/^['"]/.test(part) ? renderKey(part.slice(1, -1)) : part)).join('.');
}
