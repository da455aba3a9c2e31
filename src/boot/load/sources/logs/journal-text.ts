// boot/load/sources/logs/journal-text.ts: reads the journal as text (short, short-precise, short-iso, short-monotonic … ), and the
// logs of kubelet and the Azure agent, which have their own timestamps.

import type { Evidence } from '../../../model/evidence.ts';
import type { Note } from '../../../model/record.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource, ParseContext } from '../source.ts';
import { type DateHint, dateHint, lacksYear, notAfter, withoutColours } from './log-year.ts';
import { BootSplitter } from './split-boots.ts';
import { TextBoot } from './text-boot.ts';
import { parseTextLine, type TextLine } from './text-line.ts';

export const journalTextSource = {
  kind: 'journal-text',
  title: 'journal text (journalctl, kubelet and waagent logs)',
  recognise,
  recogniseFurther,
  lacksYear,
  parse,
} satisfies EvidenceSource;

const SAMPLE_LINES = 60;

function recognise(input: Input): number {
  const head = withoutColours(headText(input));
  if (isUnitStatus(head)) return 0;
  const lines = head.split(/\r?\n/);
  if (lines.length > 1) lines.pop(); // may be cut
  const atStart = shareOf(lines.slice(0, SAMPLE_LINES));
  // Indented lines lower the share: other tools print a few journal lines at the end.
  if (atStart.share >= 0.7) return 0.85 * atStart.share;
  // The output of a script may precede the log of kubelet.
  const first = lines.findIndex((line) => /^[IWEF]\d{4} \d\d:/.test(line));
  const behind = first < 0 ? undefined : shareOf(lines.slice(first).slice(-SAMPLE_LINES));
  return behind && behind.share >= 0.7 && behind.klog >= 3 ? 0.3 : 0;
}

/** A script that starts kubelet may trace more than what is read to recognise a kind. */
function recogniseFurther(start: string): boolean {
  return KLOG_LINES.test(start);
}

const KLOG_LINES = /^(?:[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} .*\r?\n){20}/m;

/** `systemctl status` prints the last lines of each unit. */
function isUnitStatus(head: string): boolean {
  return /^ +Loaded: /m.test(head) && /^ +Active: /m.test(head);
}

/** The logs of many programs: `2026-11-17 10:00:00,123 INFO: …`. No program is called like that. */
const LEVEL = /^(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)$/;

/** Which part of the lines can be read, and how many of them have klog's stamps. */
function shareOf(lines: readonly string[]): { share: number; klog: number } {
  let seen = 0;
  let read = 0;
  let klog = 0;
  const hosts = new Map<string, number>();
  for (const line of lines) {
    if (line === '' || line.startsWith('-- ')) continue;
    seen++;
    const parsed = parseTextLine(line, 0);
    if (!parsed || LEVEL.test(parsed.identifier)) continue;
    read++;
    if (parsed.identifier === 'kubelet') klog++;
    const host = parsed.clock === 'monotonic' ? (parsed.host ?? '') : 'any';
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  if (seen === 0 || read === 0) return { share: 0, klog };
  // `[ 0.1] x y: z` may also be dmesg. In a journal the first word is the host name, the same on almost every line.
  let sameHost = 0;
  for (const [host, count] of hosts) if (host !== '' && count > sameHost) sameHost = count;
  return { share: Math.min(read, sameHost) / seen, klog };
}

function parse(input: Input, { nowUs, datesUs }: ParseContext): Evidence[] {
  const hint = dateHint(input, nowUs, datesUs);
  let limitUs = hint ? notAfter(hint.nearUs) : nowUs;
  let yearlessUs: number | undefined;
  const problems = new Problems();
  const boots: TextBoot[] = [];
  let bootId: string | undefined;
  const splitter = new BootSplitter((line, startsBoot) => {
    if (startsBoot) {
      boots.push(new TextBoot(line.clock, bootId));
      bootId = undefined;
    }
    boots.at(-1)!.add(line);
  });
  let clock: TextLine['clock'] | undefined;
  let place = 0;
  for (const raw of linesOf(input)) {
    place++;
    const line = withoutColours(raw);
    const separator = SEPARATOR.exec(line);
    if (separator) {
      splitter.separate();
      clock = undefined;
      bootId = separator[1];
      continue;
    }
    if (isBlank(line)) continue;
    const parsed = parseTextLine(line, limitUs);
    if (!parsed) {
      problems.add('is not a journal line', place);
      continue;
    }
    if (parsed.isYearless) {
      yearlessUs ??= parsed.atUs;
      if (hint) limitUs = notAfter(parsed.atUs); // January follows December
      if (hint?.zoneUs) parsed.atUs -= hint.zoneUs;
    }
    // The first line sets the clock: a continuation line of a message may look like a line in another format.
    clock ??= parsed.clock;
    if (clock === parsed.clock) splitter.add(parsed);
    else problems.add('is on another clock than the lines before it', place);
  }
  splitter.finish();
  const notes = [...stampNotes(hint, yearlessUs), ...problems.notes(input.name, 'line')];
  return boots.map((boot) => {
    const found = boot.evidence(input.name);
    return { ...found, notes: [...found.notes, ...notes] };
  });
}

function stampNotes(hint: DateHint | undefined, yearlessUs: number | undefined): Note[] {
  if (yearlessUs === undefined) return [];
  const notes: Note[] = [];
  if (!hint) {
    const year = new Date(yearlessUs / 1000).getUTCFullYear();
    const text = `the times in this text have no year, and no line and no other input names it: the year is unknown and read as ${year}`;
    notes.push({ level: 'warning', text });
  }
  if (hint?.zoneUs === undefined) {
    notes.push({ level: 'info', text: 'the times in this text have no zone and are read as UTC' });
  } else if (hint.zoneUs !== 0) {
    const minutes = Math.abs(hint.zoneUs) / 60e6;
    const [hh, mm] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
    const text = `the times in this text are local time (UTC${hint.zoneUs < 0 ? '-' : '+'}${hh}:${mm}), according to the UTC time in cloud-init's banners`;
    notes.push({ level: 'info', text });
  }
  return notes;
}

const SEPARATOR = /^-- (?:Boot ([0-9a-f]{32})|Reboot) --$/;

/** Headers (`-- Logs begin at …`), blank lines and indented continuation lines. */
function isBlank(line: string): boolean {
  return line === '' || /^(?:-- |\s)/.test(line);
}
