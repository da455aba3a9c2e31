// image/update/edit-text.ts: changes values of a YAML text and nothing else: every other character, comments and spaces included, stays what it was.
import type { Node, YAMLSeq } from 'yaml';
import type { ManifestEdit } from './plan-update.ts';

type Yaml = typeof import('yaml');

export async function editText(text: string, edits: readonly ManifestEdit[]): Promise<string> {
  if (edits.length === 0) return text;
  const yaml = await import('yaml');
  // Each one moves what is behind it, so the text is read again; it is small.
  return edits.reduce((before, edit) => editOnce(before, edit, yaml), text);
}

function editOnce(text: string, { do: how, path, value }: ManifestEdit, yaml: Yaml): string {
  const node: unknown = yaml.parseDocument(text, { version: '1.2' }).getIn(path, true);
  if (how === 'set' && yaml.isScalar(node)) {
    // In the quotes it had; without any, where they are needed.
    const type = /^QUOTE/.test(node.type ?? '')
      ? { defaultStringType: node.type as 'QUOTE_DOUBLE' | 'QUOTE_SINGLE' }
      : {};
    return splice(text, rangeOf(node), yaml.stringify(value, { ...type, lineWidth: 0 }).trimEnd());
  }
  if (how === 'append' && yaml.isSeq(node)) return append(text, node, value, yaml);
  throw new Error(`there is nothing at ${path.join('.')} to ${how}`);
}

function append(text: string, list: YAMLSeq, value: unknown, yaml: Yaml): string {
  const last = list.items.at(-1) as Node;
  const [start, end] = rangeOf(last);
  if (list.flow) {
    const inline = yaml.stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    return splice(text, [end, end], `, ${inline}`);
  }
  // Below the last entry, behind what is said of it in the same line, and as far in as its dash.
  const dash = text.lastIndexOf('-', start - 1);
  const indent = text.slice(text.lastIndexOf('\n', dash) + 1, dash);
  const lineEnd = text.indexOf('\n', text.slice(0, end).trimEnd().length);
  const at = lineEnd < 0 ? text.length : lineEnd;
  const lines = yaml.stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return splice(text, [at, at], `\n${indent}- ${lines.join(`\n${indent}  `)}`);
}

/** Where its value is, without what is said behind it. */
function rangeOf(node: Node): [start: number, end: number] {
  if (!node.range) throw new Error('a node of a text that was read has a place in it');
  return [node.range[0], node.range[1]];
}

function splice(text: string, [start, end]: readonly [number, number], inserted: string): string {
  return `${text.slice(0, start)}${inserted}${text.slice(end)}`;
}
