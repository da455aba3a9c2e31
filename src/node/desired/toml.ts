// node/desired/toml.ts: how is a configuration rendered as TOML, and which settings does a TOML text contain?
import { parse, stringify, TomlDate, type TomlTable, type TomlValue } from 'smol-toml';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

export function renderToml(root: JsonObject): string {
  return `${stringify(tomlOf(root)).trim()}\n`;
}

/** TOML has no null, so null values are left out. */
function tomlOf(value: Json): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(tomlOf);
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== null);
    return Object.fromEntries(entries.map(([key, item]) => [key, tomlOf(item)]));
  }
  return typeof value === 'number' && isLargeInteger(value) ? BigInt(String(value)) : value;
}

/** The library would write it as a float; TOML's integers have 64 bits. */
function isLargeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/**
 * Settings by table and key: `[a."b.c"]` and `d = 1` give `a."b.c".d` → `1`. A text that is not TOML is a single setting,
 * because what changes in it is unknown.
 */
export function tomlSettings(text: string): Map<string, string> {
  const root = parsed(text);
  return root === undefined ? new Map([[NOT_TOML, text]]) : new Map(settingsIn(root, ''));
}

const NOT_TOML = 'not TOML';

function* settingsIn(table: TomlTable, path: string): Generator<[string, string]> {
  for (const [key, value] of Object.entries(table)) {
    const name = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
    yield* settingsOf(value, path === '' ? name : `${path}.${name}`);
  }
}

function* settingsOf(value: TomlValue, path: string): Generator<[string, string]> {
  if (isTable(value)) yield* settingsIn(value, path);
  else if (Array.isArray(value) && value.some(isTable)) {
    for (const [i, item] of value.entries()) yield* settingsOf(item, `${path}[${i}]`);
  } else yield [path, stringify({ value }, { numbersAsFloat: true }).trim().slice('value = '.length)];
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** `[a]`, `[[a.b]]`, `[plugins."a=b"]`: a quoted name may contain any character. */
const TABLE_HEADER = /^\[\[?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=\]])*\]\]?\s*(?:#.*)?$/;

/** Why `added` cannot be appended to `rendered`; undefined if it can. TOML allows each table once and no top-level keys after a table. */
export function appendProblem(rendered: string, added: string): string | undefined {
  const lines = added.split(/\r?\n/).map((line) => line.trim());
  const first = lines.find((line) => line !== '' && !line.startsWith('#'));
  if (first === undefined) return undefined;
  if (!TABLE_HEADER.test(first))
    return 'must start with a table such as [debug]; lines before it would become part of another table';
  // If `added` alone is not valid TOML, let containerd report it: its parser may accept more than ours.
  if (parsed(added) === undefined || parsed(`${rendered}\n${added}`) !== undefined) return undefined;
  return 'contains a table that headstart also writes';
}

/** Undefined if it is not TOML. Keeps 64-bit integers exact. */
function parsed(text: string): TomlTable | undefined {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch {
    return undefined;
  }
}
