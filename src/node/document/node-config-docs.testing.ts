// node/document/node-config-docs.testing.ts: the generated tables of docs/node-config.md. Run it to regenerate them.
import { readFileSync, writeFileSync } from 'node:fs';
import { REASONS, type Reason } from '../reason-codes.ts';
import { fieldsOf } from './schema/fields.ts';

export const DOCS = new URL('../../../docs/node-config.md', import.meta.url);

/** `text` with its tables replaced by the generated ones. */
export function withTables(text: string): string {
  return withTable(withTable(text, 'fields', fieldTable()), 'reasons', reasonTable());
}

function fieldTable(): string {
  const rows = fieldsOf('headstart.dev/v1').map(({ path, takes, isRequired, default: given, about }) => [
    `\`${path}\``,
    takes,
    isRequired ? 'required' : given === undefined ? '' : `\`${given}\``,
    about,
  ]);
  return markdownTable(['field', 'takes', 'default', ''], rows);
}

function reasonTable(): string {
  const rows = Object.entries(REASONS).map(([code, { summary, next = '' }]: [string, Reason]) => [
    `\`${code}\``,
    summary,
    next,
  ]);
  return markdownTable(['code', 'what', 'what to do'], rows);
}

function withTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  return `${text.slice(0, text.indexOf(start) + start.length)}${table}${text.slice(text.indexOf(end))}`;
}

function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('');
}

if (import.meta.main) writeFileSync(DOCS, withTables(readFileSync(DOCS, 'utf8')));
