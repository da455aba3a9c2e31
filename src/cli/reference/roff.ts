// cli/reference/roff.ts: renders headings, paragraphs, lists and examples as a manual page.

export type RoffBlock =
  | { kind: 'section' | 'part' | 'paragraph' | 'heading'; text: string }
  | { kind: 'item'; term: string; text: string }
  | { kind: 'literal'; lines: readonly string[] };

export interface ManualPage {
  /** `headstart-boot` */
  name: string;
  /** What the page is about, in one line. */
  summary: string;
  version: string;
  blocks: readonly RoffBlock[];
}

/** Without a date, so that the same verbs give the same bytes. */
export function renderManualPage({ name, summary, version, blocks }: ManualPage): string {
  const title = `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`headstart ${version}`)} "headstart"`;
  const lines = [title, '.SH NAME', `${escaped(name)} \\- ${escaped(summary)}`, ...blocks.flatMap(renderBlock)];
  return `${lines.join('\n')}\n`;
}

function renderBlock(block: RoffBlock): string[] {
  switch (block.kind) {
    case 'section':
      return [`.SH ${quoted(block.text.toUpperCase())}`];
    case 'part':
      return [`.SS ${quoted(block.text)}`];
    case 'heading':
      return ['.PP', `.B ${quoted(block.text)}`];
    case 'paragraph':
      return ['.PP', line(block.text)];
    case 'item':
      return ['.TP', `.B ${quoted(block.term)}`, line(block.text)];
    case 'literal':
      return ['.PP', '.nf', '.RS 4', ...block.lines.map(line), '.RE', '.fi'];
  }
}

/** An empty line would be a paragraph; a full stop or an apostrophe at the start would be a request. */
function line(text: string): string {
  const safe = escaped(text);
  if (safe.trim() === '') return '\\&';
  return /^\s*[.']/.test(safe) ? `\\&${safe}` : safe;
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}

/** `-` alone may become a typographic hyphen, which cannot be copied into a shell. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll(/[^\p{ASCII}]/gu, (one) => `\\[u${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`);
}
