// boot/load/sources/logs/pasted-line.ts: undoes what clipboards, editors and web sites do to a line of terminal output.

export interface PastedLine {
  number: number;
  /** Without colours, quoting and mojibake. Leading blanks stay: they carry the tree structure. */
  text: string;
  /** ``` or ~~~ around the listing. */
  isFence: boolean;
  /** `# systemd-analyze …`, `user@host:~$ systemd-analyze …` */
  isPrompt: boolean;
}

// Colours and cursor moves, character-set switches, and titles or links terminated by BEL or ST.
const ANSI = /\u001b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\))/g;
const FENCE = /^\s*(?:```|~~~)/;
const PROMPT = /^(?!\s*[│├└|`]).{0,120}\bsystemd-analyze\b/;

export function pastedLine(raw: string, number = 0): PastedLine {
  let text = raw;
  if (text.includes('\u001b')) text = text.replace(ANSI, '');
  if (text.includes('&')) text = text.replace(ENTITY, decodeEntity);
  // Only a non-ASCII character can be a broken glyph; most lines have none.
  if (/[^\u0009\u0020-\u007e]/.test(text)) text = repairGlyphs(text);
  text = text
    .replaceAll('\t', '        ')
    .replace(/^(?:\s*> ?)+/, '')
    .trimEnd();
  return { number, text, isFence: FENCE.test(text), isPrompt: PROMPT.test(text) };
}

const ENTITY = /&(?:#(\d{1,6})|#[xX]([0-9a-fA-F]{1,5})|(nbsp|lt|gt|amp|quot|boxur|boxh|boxv|boxvr|hellip));/g;
const NAMED: Readonly<Record<string, string>> = {
  ...{ nbsp: ' ', lt: '<', gt: '>', amp: '&', quot: '"', boxur: '└', boxh: '─', boxv: '│', boxvr: '├', hellip: '…' },
};

/** Web forums show the tree glyphs as HTML entities. */
function decodeEntity(_: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name]!;
  return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal));
}

/** UTF-8 box drawing decoded as Windows-1252, Latin-1 or code page 437, and the `ââ` that remains without control characters. */
const BROKEN: readonly (readonly [RegExp, string])[] = [
  [/â”‚|â\u0094\u0082|Γöé/g, '│'],
  [/â”œ|â\u0094\u009c|Γö£/g, '├'],
  [/â””|â”\u201d|â\u0094\u0094|Γöö/g, '└'],
  [/â”€|â\u0094\u0080|ΓöÇ/g, '─'],
  [/ââ/g, '└─'],
  [/\u00a0|\u2007|\u202f/g, ' '],
  [/[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g, ''],
];

function repairGlyphs(text: string): string {
  let repaired = text;
  for (const [broken, glyph] of BROKEN) repaired = repaired.replace(broken, glyph);
  return repaired;
}

const LABELS = /(?: \[[^[\]]{1,200}\])+$/;

/** headstart appends labels such as `[wait: …]` or `[failed]`; removing them makes its own output readable as input. */
export function withoutLabels(text: string): string {
  return text.endsWith(']') ? text.replace(LABELS, '') : text;
}
