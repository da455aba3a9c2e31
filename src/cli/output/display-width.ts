// cli/output/display-width.ts: how many columns of a terminal does a text take, and how is it padded, wrapped or cut to fit?

/** East Asian wide and fullwidth characters (Unicode, EastAsianWidth.txt), without the emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}.*\ufe0f)/su;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
const STYLES = /\u001b\[\d+m/g;
const ASCII = /^[ -~]*$/;

/** The codes that `paint` adds have no width. */
export function displayWidth(painted: string): number {
  const text = painted.replace(STYLES, '');
  if (ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? blanks + text : text + blanks;
}

/** For a line that is overwritten in place and must not wrap. Cut text ends in `…`. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1; // the ellipsis
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/**
 * Lines of at most `width` columns, broken between words; the later ones are indented like the first, or by `indent`.
 * A longer word is neither broken nor moved to a new line: the terminal wraps it, and it can still be copied whole.
 */
export function wrapText(text: string, width: number, indent = leadOf(text).length): string[] {
  if (displayWidth(text) <= width) return [text];
  const lead = leadOf(text);
  const [first = '', ...rest] = text.slice(lead.length).split(BETWEEN_WORDS);
  const lines: string[] = [];
  let line = lead + first;
  for (let i = 0; i + 1 < rest.length; i += 2) {
    const [gap, word] = [rest[i]!, rest[i + 1]!];
    const isHopeless = indent + displayWidth(word) > width && displayWidth(line) <= width;
    if (isHopeless || displayWidth(line + gap + word) <= width) line += gap + word;
    else {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    }
  }
  return [...lines, line];
}

export function wrapLines(text: string, width: number, indent?: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapText(line, width, indent))
    .join('\n');
}

export function longestWord(text: string): number {
  const lead = leadOf(text).length;
  const words = text.slice(lead).split(BETWEEN_WORDS);
  return lead + words.reduce((most, word, i) => (i % 2 === 0 ? Math.max(most, displayWidth(word)) : most), 0);
}

function leadOf(text: string): string {
  return /^ */.exec(text)![0];
}

/** Does not break a time such as `1min 5s`. */
const BETWEEN_WORDS = /((?<!\d(?:y|month|w|d|h|min)) +(?=[^ ])| +(?=[^ \d]))/;

function graphemes(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

let cached: Intl.Segmenter | undefined;
function segmenter(): Intl.Segmenter {
  cached ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return cached;
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  return Array.from(grapheme).reduce(
    (sum, character) => sum + (NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1),
    0,
  );
}
