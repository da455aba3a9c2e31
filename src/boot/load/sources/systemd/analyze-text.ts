// boot/load/sources/systemd/analyze-text.ts: reads pasted output of `systemd-analyze` time, blame and critical-chain: fenced, indented,
// coloured, truncated or without tree glyphs. A file may contain several listings; each source reads all of them.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { type PastedLine, pastedLine } from '../logs/pasted-line.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { parseBlameLine, unitsFromBlame } from './analyze-blame-text.ts';
import { CHAIN_HEADER_PATTERN, chainUnits, isTimedChainLine, parseChainLine } from './analyze-chain-text.ts';
import { parseReachedLine, type ReachedTarget } from './analyze-time-text.ts';
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

export function parseAnalyzeText(input: Input): Evidence[] {
  const problems = new Problems();
  const blame = new Map<string, number>();
  const chainLines: PastedLine[] = [];
  let startup: string | undefined;
  let reached: ReachedTarget | undefined;
  let number = 0;
  for (const raw of linesOf(input)) {
    const line = pastedLine(raw, ++number);
    if (line.isFence) continue;
    const blamed = parseBlameLine(line.text);
    if (STARTUP.test(line.text)) {
      if (startup === undefined) startup = line.text;
      else problems.add('is a second "Startup finished": only the first is used', number);
    } else if (blamed) {
      if (!blame.has(blamed.unit)) blame.set(blamed.unit, blamed.tookUs);
    } else {
      reached ??= parseReachedLine(line.text);
      if (CHAIN_HEADER_PATTERN.test(line.text) || line.isPrompt || parseChainLine(line)) chainLines.push(line);
    }
  }
  const manager = startup === undefined ? undefined : parseStartupFinished(startup);
  if (startup !== undefined && !manager) problems.add('has "Startup finished" with unreadable time spans', 1);

  const base = { input: input.name, clock: 'userspace' as const };
  const found: Evidence[] = [];
  const units = chainUnits(chainLines, problems);
  if (manager) {
    const targets = reached ? [reached.unit] : [];
    found.push(evidence({ ...base, kind: 'analyze-time', manager, ...(targets.length > 0 && { units: targets }) }));
  }
  if (units.length > 0) found.push(evidence({ ...base, kind: 'analyze-critical-chain', units }));
  if (blame.size > 0)
    found.push(evidence({ ...base, kind: 'analyze-blame', ...unitsFromBlame(blame, units, input.name) }));
  found[0]?.notes.push(...problems.notes(input.name, 'line'));
  return found;
}
