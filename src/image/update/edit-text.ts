// image/update/edit-text.ts: change values in a YAML text and keep every other character, including comments and spaces.
import type { Node, YAMLSeq } from 'yaml';
import type { ManifestEdit } from './plan-update.ts';

type Yaml = typeof import('yaml');

export async function editText(text: string, edits: readonly ManifestEdit[]): Promise<string> {
  if (edits.length === 0) return text;
  const yaml = await import('yaml');
  // Each edit shifts the text after it, so the text is parsed again for every edit.
  return edits.reduce((before, edit) => editOnce(before, edit, yaml), text);
}

function editOnce(text: string, { do: how, path, value }: ManifestEdit, yaml: Yaml): string {
  const node: unknown = yaml.parseDocument(text, { version: '1.2' }).getIn(path, true);
  if (how === 'set' && yaml.isScalar(node)) {
    // Keep the quotes of the old value; add quotes only if the new value needs them.
    const type = /^QUOTE/.test(node.type ?? '')
      ? { defaultStringType: node.type as 'QUOTE_DOUBLE' | 'QUOTE_SINGLE' }
      : {};
    return splice(text, rangeOf(node), yaml.stringify(value, { ...type, lineWidth: 0 }).trimEnd());
  }
  if (how === 'append' && yaml.isSeq(node)) return append(text, node, value, yaml);
  throw new Error(`cannot ${how} at ${path.join('.')}: no suitable node`);
}

function append(text: string, list: YAMLSeq, value: unknown, yaml: Yaml): string {
  const last = list.items.at(-1) as Node;
  const [start, end] = rangeOf(last);
  if (list.flow) {
    const inline = yaml.stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    return splice(text, [end, end], `, ${inline}`);
  }
  // Insert below the last entry and its trailing comment, indented like its dash.
  const dash = text.lastIndexOf('-', start - 1);
  const indent = text.slice(text.lastIndexOf('\n', dash) + 1, dash);
  const lineEnd = text.indexOf('\n', text.slice(0, end).trimEnd().length);
  const at = lineEnd < 0 ? text.length : lineEnd;
  const lines = yaml.stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return splice(text, [at, at], `\n${indent}- ${lines.join(`\n${indent}  `)}`);
}

/** The range of the value, without a trailing comment. */
function rangeOf(node: Node): [start: number, end: number] {
  if (!node.range) throw new Error('a parsed YAML node has no range');
  return [node.range[0], node.range[1]];
}

function splice(text: string, [start, end]: readonly [number, number], inserted: string): string {
  return `${text.slice(0, start)}${inserted}${text.slice(end)}`;
}
