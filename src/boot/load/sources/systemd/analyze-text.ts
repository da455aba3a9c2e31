// boot/load/sources/systemd/analyze-text.ts: reads pasted output of `systemd-analyze` time, blame and critical-chain: fenced, indented,
// coloured, truncated or without tree glyphs. A file may contain several listings; each source reads all of them.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Unit } from '../../../model/record.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { type PastedLine, pastedLine } from '../logs/pasted-line.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { parseBlameLine, unitsFromBlame } from './analyze-blame-text.ts';
import {
  CHAIN_HEADER_PATTERN,
  chainListings,
  isTimedChainLine,
  mergeChains,
  parseChainLine,
} from './analyze-chain-text.ts';
import { parseReachedLine } from './analyze-time-text.ts';
import { type AnalyzeOutput, pastedBoots } from './pasted-boots.ts';
import { parseStartupFinished } from './startup-finished.ts';

export const analyzeTimeSource = {
  kind: 'analyze-time',
  title: '`systemd-analyze time`',
  recognise: (input) => (countHead(input).time > 0 ? 0.5 : 0),
  parse: parseAnalyzeText,
} satisfies EvidenceSource;

export const analyzeBlameSource = {
  kind: 'analyze-blame',
  title: '`systemd-analyze blame`',
  recognise: (input) => {
    const { blame, lines } = countHead(input);
    return blame >= 2 && blame * 2 >= lines ? 0.6 : 0;
  },
  parse: parseAnalyzeText,
} satisfies EvidenceSource;

export const analyzeCriticalChainSource = {
  kind: 'analyze-critical-chain',
  title: '`systemd-analyze critical-chain`',
  recognise: (input) => {
    const { headers, timed, lines } = countHead(input);
    if (headers > 0 && timed > 0) return 0.8;
    return timed >= 2 && timed * 2 >= lines ? 0.7 : headers > 0 ? 0.4 : 0;
  },
  parse: parseAnalyzeText,
} satisfies EvidenceSource;

/** Anchored at the line start: a journal has the same sentence after a prefix. */
const STARTUP = /^\W*Startup finished in .*\((kernel|userspace)\)/;
const RECOGNISE_LINES = 2000;

function countHead(input: Input) {
  const counts = { lines: 0, headers: 0, time: 0, blame: 0, timed: 0 };
  for (const raw of headText(input).split('\n', RECOGNISE_LINES)) {
    const line = pastedLine(raw);
    if (line.text.trim() === '' || line.isFence) continue;
    counts.lines++;
    if (CHAIN_HEADER_PATTERN.test(line.text)) counts.headers++;
    else if (STARTUP.test(line.text)) counts.time++;
    else if (parseBlameLine(line.text)) counts.blame++;
    else if (isTimedChainLine(line)) counts.timed++;
  }
  return counts;
}

/** One piece of evidence for each kind of listing and boot. In a document with several boots, each has a name. */
export function parseAnalyzeText(input: Input): Evidence[] {
  const problems = new Problems();
  const boots = pastedBoots(listingsIn(input, problems));
  const found = boots.map(({ name, listings }) =>
    evidenceOf(listings, { input: input.name, ...(boots.length > 1 && { name }) }),
  );
  const notes = problems.notes(input.name, 'line');
  for (const [first] of found) first?.notes.push(...notes);
  return found.flat();
}

function listingsIn(input: Input, problems: Problems): AnalyzeOutput[] {
  const listings: OpenOutput[] = [];
  const chainLines: PastedLine[] = [];
  const headings: DocumentTitle[] = [];
  let isInBlame = false;
  let number = 0;
  for (const raw of linesOf(input)) {
    const line = pastedLine(raw, ++number);
    const blamed = line.isFence ? undefined : parseBlameLine(line.text);
    if (blamed) {
      const open = listings.at(-1);
      if (isInBlame && open && !open.blame.has(blamed.unit)) open.blame.set(blamed.unit, blamed.tookUs);
      else listings.push(newListing('blame', number, { blame: new Map([[blamed.unit, blamed.tookUs]]) }));
      isInBlame = true;
      continue;
    }
    const heading = headingOf(line);
    if (heading) headings.push(heading);
    const isStartup = STARTUP.test(line.text);
    if (isStartup || heading || line.isFence || line.isPrompt) isInBlame = false;
    if (line.isFence) continue;
    if (isStartup) {
      const manager = parseStartupFinished(line.text);
      if (manager) listings.push(newListing('time', number, { manager }));
      else problems.add('has "Startup finished" with unreadable time spans', number);
      continue;
    }
    const reached = parseReachedLine(line.text);
    if (reached) addReached(listings, reached.unit);
    if (CHAIN_HEADER_PATTERN.test(line.text) || line.isPrompt || parseChainLine(line)) chainLines.push(line);
  }
  const chains = chainListings(chainLines, problems).map(({ line, units }) => newListing('chain', line, { units }));
  return [...listings, ...chains].map((listing) => ({ ...listing, headings: headingsAbove(headings, listing.line) }));
}

type OpenOutput = Omit<AnalyzeOutput, 'blame'> & { blame: Map<string, number> };

function newListing(kind: AnalyzeOutput['kind'], line: number, more: Partial<OpenOutput>): OpenOutput {
  return { kind, line, headings: [], units: [], blame: new Map(), ...more };
}

/** The line belongs to the `time` above it. */
function addReached(listings: readonly AnalyzeOutput[], unit: Unit): void {
  const time = listings.findLast(({ kind }) => kind === 'time');
  if (time?.units.length === 0) time.units.push(unit);
}

interface DocumentTitle {
  line: number;
  text: string;
  /** `Before the change:`, without a mark of Markdown: only about what follows closely. */
  isIntroduction: boolean;
}

const HEADING = /^\s{0,3}#{1,6}\s+(\S.{0,79}?)\s*#*$/;
const INTRODUCTION = /^\s{0,3}(\S.{0,58}\S):$/;
const CLOSE_LINES = 10;

function headingOf({ text, number, isPrompt, isFence }: PastedLine): DocumentTitle | undefined {
  if (isPrompt || isFence) return undefined;
  const heading = HEADING.exec(text)?.[1];
  const found = heading ?? INTRODUCTION.exec(text)?.[1];
  return found === undefined ? undefined : { line: number, text: found, isIntroduction: heading === undefined };
}

/** The nearest first. */
function headingsAbove(headings: readonly DocumentTitle[], line: number): string[] {
  const nearest = headings.findLast((heading) => heading.line < line);
  const heading = headings.findLast((each) => each.line < line && !each.isIntroduction);
  const isClose = nearest?.isIntroduction === true && line - nearest.line <= CLOSE_LINES;
  return [...(isClose ? [nearest.text] : []), ...(heading ? [heading.text] : [])];
}

function evidenceOf(listings: readonly AnalyzeOutput[], from: { input: string; name?: string }): Evidence[] {
  const base = { ...from, clock: 'userspace' as const };
  const of = (kind: AnalyzeOutput['kind']) => listings.filter((listing) => listing.kind === kind);
  const found: Evidence[] = [];
  const [time] = of('time');
  if (time?.manager) {
    const { manager, units } = time;
    found.push(evidence({ ...base, kind: 'analyze-time', manager, ...(units.length > 0 && { units }) }));
  }
  const units = mergeChains(of('chain').map((listing) => listing.units));
  if (units.length > 0) found.push(evidence({ ...base, kind: 'analyze-critical-chain', units }));
  const blame = new Map<string, number>();
  for (const [unit, tookUs] of of('blame').flatMap((listing) => [...listing.blame]))
    if (!blame.has(unit)) blame.set(unit, tookUs);
  if (blame.size > 0)
    found.push(evidence({ ...base, kind: 'analyze-blame', ...unitsFromBlame(blame, units, from.input) }));
  return found;
}
