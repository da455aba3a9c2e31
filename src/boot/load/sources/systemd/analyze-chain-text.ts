// boot/load/sources/systemd/analyze-chain-text.ts: which unit waited for which, according to a pasted `systemd-analyze critical-chain`?
import { parseSpan } from '../../../../base/duration.ts';
import type { Unit } from '../../../model/record.ts';
import { type PastedLine, withoutLabels } from '../logs/pasted-line.ts';
import type { Problems } from '../problems.ts';
import { NAME_CHARS, UNIT_SUFFIX } from './unit-name.ts';

export const CHAIN_HEADER_PATTERN =
  /The time (?:after|when) (?:the )?unit (?:is|became) active or started|The time the unit (?:takes|took) to start/;

const SPAN = /^-?\d[0-9a-z. ]{0,80}$/;
const UNIT_END = new RegExp(`(?:\\.${UNIT_SUFFIX}|…)$`);
const NAME_CHAR = new RegExp(`[…${NAME_CHARS}]`);
const MAX_NAME = 255;
/** A cheap check that rejects nearly every line of other files. */
const MAY_BE_CHAIN = new RegExp(`\\.${UNIT_SUFFIX}(?: [@+]|\\s*>?$)|…|\\.\\.\\.$|>$`);
/** systemd uses unsigned 64-bit numbers: before v256 it printed a time before userspace as a wrapped-around number.
 *  headstart prints it as a negative number. */
const WRAPPED_US = 1e18;

interface ChainLine {
  /** Where the name starts. The tree is derived from this, so it does not depend on the glyphs. */
  column: number;
  hasGlyph: boolean;
  name: string;
  atUs?: number;
  tookUs?: number;
  isRepeat: boolean;
  isCut: boolean;
}

export function isTimedChainLine(line: PastedLine): boolean {
  const parsed = parseChainLine(line);
  return parsed !== undefined && !parsed.isRepeat && (parsed.atUs !== undefined || parsed.tookUs !== undefined);
}

/** Parses from the right end, where the format is fixed. The text left of the name has no letters or digits. */
export function parseChainLine(line: PastedLine): ChainLine | undefined {
  const whole = withoutRemark(withoutLabels(line.text));
  if (!MAY_BE_CHAIN.test(whole)) return undefined;
  // `less -S` marks a truncated line with `>`; a time span next to the mark has lost digits.
  const isChopped = whole.endsWith('>');
  const text = isChopped ? whole.slice(0, -1).replace(/ [@+]?$/, '') : whole;
  const took = cutSpan(text, ' +');
  const at = cutSpan(took.rest, ' @');
  const { prefix, name } = splitName(at.rest);
  if (/[A-Za-z0-9]/.test(prefix)) return undefined;
  if (name === '...' || name === '…') return { ...place(prefix, ''), isRepeat: true, isCut: false };
  const isWhole = UNIT_END.test(name);
  if (name === '' || (!isWhole && !isChopped)) return undefined;
  const tookUs = isChopped ? undefined : took.span && parseSpan(took.span);
  const atUs = isChopped && took.span === undefined ? undefined : at.span && parseAt(at.span);
  return {
    ...place(prefix, isWhole ? name : `${name}…`),
    ...(typeof atUs === 'number' && { atUs }),
    ...(typeof tookUs === 'number' && { tookUs }),
    isRepeat: false,
    isCut: isChopped || name.includes('…'),
  };
}

/** People annotate a pasted chain after the time: `+4.451s  ← BLOCKING BOOT`, `@1.2s # why`. */
const REMARK = new RegExp(
  `^(.{0,600}?\\.${UNIT_SUFFIX}(?: [@+](?:\\d[\\d.]*(?:y|month|w|d|h|min|s|ms|us) ?)+)+)(?:(?<=\\s)|\\s+)[^\\s\\d@+>].*$`,
);

function withoutRemark(text: string): string {
  const match = text.length < 1000 ? REMARK.exec(text) : null;
  return match ? match[1]!.trimEnd() : text;
}

function cutSpan(text: string, mark: string): { rest: string; span?: string } {
  const at = text.lastIndexOf(mark);
  const span = at < 0 ? '' : text.slice(at + mark.length);
  return SPAN.test(span) ? { rest: text.slice(0, at), span } : { rest: text };
}

function parseAt(span: string): number | undefined {
  return span.startsWith('-') ? WRAPPED_US : parseSpan(span);
}

function splitName(text: string): { prefix: string; name: string } {
  let start = text.length;
  while (start > 0 && text.length - start < MAX_NAME && NAME_CHAR.test(text[start - 1]!)) start--;
  return { prefix: text.slice(0, start), name: text.slice(start) };
}

/** `|-` and `` `- `` are glyphs; only the names of the root slice and mount start with a dash. */
function place(prefix: string, rest: string) {
  const isRootName = /^-*-\.(slice|mount)$/.test(rest);
  const name = isRootName ? rest.slice(rest.lastIndexOf('-')) : rest.replace(/^-+/, '');
  return { column: prefix.length + rest.length - name.length, hasGlyph: /\S/.test(prefix) || name !== rest, name };
}

export interface ChainListing {
  /** Where it starts in the document. */
  line: number;
  units: Unit[];
}

export function chainListings(lines: readonly PastedLine[], problems: Problems): ChainListing[] {
  return [...listingsOf(lines)].map((listing) => ({
    line: listing[0]!.source.number,
    units: unitsOf(listing, problems),
  }));
}

/** The units of several listings of one boot. */
export function mergeChains(listings: readonly (readonly Unit[])[]): Unit[] {
  const known = new Map<string, KnownUnit>();
  for (const unit of listings.flat()) merge(known, unit);
  return [...known.values()].map((unit) => ({ ...unit, after: [...unit.after] }));
}

/** A unit may appear in several places; `after` collects its dependencies from all of them. */
type KnownUnit = Omit<Unit, 'after'> & { after: Set<string> };

type SourcedChainLine = ChainLine & { source: PastedLine };

/** A header or a prompt ends a listing. So does a second root, if the tree structure is intact. */
function* listingsOf(lines: readonly PastedLine[]): Generator<SourcedChainLine[]> {
  let listing: SourcedChainLine[] = [];
  for (const source of lines) {
    const line = CHAIN_HEADER_PATTERN.test(source.text) || source.isPrompt ? undefined : parseChainLine(source);
    const isRoot = line !== undefined && isNewRoot(listing, line);
    if ((!line || isRoot) && listing.length > 0) {
      yield listing;
      listing = [];
    }
    if (line) listing.push({ ...line, source });
  }
  if (listing.length > 0) yield listing;
}

function isNewRoot(listing: readonly ChainLine[], line: ChainLine): boolean {
  const [root, child] = listing;
  if (!root || line.isRepeat || line.hasGlyph || line.column > root.column) return false;
  // Without glyphs a child may have the same column as its parent. Only a listing whose second line is indented, or
  // has a glyph, shows that this line is not a child.
  return child !== undefined && (child.hasGlyph || child.column > root.column);
}

function unitsOf(listing: readonly SourcedChainLine[], problems: Problems): Unit[] {
  const units: Unit[] = [];
  const open: { column: number; unit: Unit }[] = [];
  let rootBeganUs = 1;
  for (const line of listing) {
    if (line.isRepeat || line.name === '') continue;
    if (line.isCut) problems.add('is truncated: the missing part is unknown', line.source.number);
    const unit = unitOf(line, problems);
    units.push(unit);
    // The root is the ancestor of every unit, regardless of its column.
    while (open.length > 1 && open.at(-1)!.column >= line.column) open.pop();
    const parent = open.at(-1)?.unit;
    parent?.after.push(unit.name);
    if (parent && parent === units[0]) rootBeganUs = Math.max(rootBeganUs, unit.activatedUs);
    open.push({ column: line.column, unit });
  }
  const [root] = units;
  const { atUs, tookUs } = listing[0]!;
  if (root && atUs === undefined && tookUs !== undefined) {
    // A root with `+` has no `@`: assume that it started when the last of its dependencies was up.
    root.activatingUs = rootBeganUs;
    root.activatedUs = rootBeganUs + tookUs;
  }
  return units;
}

function unitOf(line: SourcedChainLine, problems: Problems): Unit {
  const { name, atUs, tookUs = 0 } = line;
  let activatingUs = 0; // 0 = unknown
  if (atUs !== undefined && atUs < WRAPPED_US) activatingUs = Math.max(1, atUs);
  else if (atUs !== undefined)
    problems.add('has a time before userspace, which the listing does not show exactly', line.source.number);
  const activatedUs = activatingUs === 0 ? 0 : activatingUs + tookUs;
  return { name, activatingUs, activatedUs, deactivatingUs: 0, deactivatedUs: 0, after: [] };
}

function merge(known: Map<string, KnownUnit>, unit: Unit): void {
  const before = known.get(unit.name);
  if (!before) {
    known.set(unit.name, { ...unit, after: new Set(unit.after) });
    return;
  }
  for (const name of unit.after) before.after.add(name);
  if (before.activatedUs === 0)
    Object.assign(before, { activatingUs: unit.activatingUs, activatedUs: unit.activatedUs });
}
