// boot/load/sources/logs/journal-text.ts: reads the journal as text (short, short-precise, short-iso, short-monotonic … ), and the
// logs of kubelet and the Azure agent, which have their own timestamps.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { HostFacts } from '../../../model/record.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { parseKlog } from '../kubernetes/klog.ts';
import { isGuestAgentLine } from '../platform/guest-agent-lines.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource, ParseContext } from '../source.ts';
import { BootLog } from './boot-log.ts';
import { parseIsoStamp, parseYearlessStamp } from './log-stamp.ts';

export const journalTextSource = {
  kind: 'journal-text',
  title: 'journal text (journalctl, kubelet and waagent logs)',
  recognise,
  parse,
} satisfies EvidenceSource;

interface TextLine {
  clock: 'monotonic' | 'wall';
  atUs: number;
  host?: string | undefined;
  identifier: string;
  pid?: string | undefined;
  message: string;
  isZoneless?: boolean;
}

const SAMPLE_LINES = 60;

function recognise(input: Input): number {
  const lines = headText(input).split(/\r?\n/, SAMPLE_LINES);
  if (lines.length > 1) lines.pop(); // may be cut
  let seen = 0;
  let read = 0;
  const hosts = new Map<string, number>();
  for (const line of lines) {
    if (line === '' || line.startsWith('-- ')) continue;
    seen++;
    const parsed = parseLine(line, 0);
    if (!parsed) continue;
    read++;
    const host = parsed.clock === 'monotonic' ? (parsed.host ?? '') : 'any';
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  if (seen === 0 || read === 0) return 0;
  // `[ 0.1] x y: z` may also be dmesg. In a journal the first word is the host name, the same on almost every line.
  let sameHost = 0;
  for (const [host, count] of hosts) if (host !== '' && count > sameHost) sameHost = count;
  const share = Math.min(read, sameHost) / seen;
  return share >= 0.7 ? 0.85 * share : 0; // indented lines lower the share: other tools print a few journal lines at the end
}

function parse(input: Input, { nowUs }: ParseContext): Evidence[] {
  const problems = new Problems();
  const boots: TextBoot[] = [];
  let bootId: string | undefined;
  let isNewBoot = true;
  let place = 0;
  for (const raw of linesOf(input)) {
    place++;
    const line = raw.replace(ANSI, '');
    const separator = SEPARATOR.exec(line);
    if (separator) {
      isNewBoot = true;
      bootId = separator[1];
      continue;
    }
    if (isBlank(line)) continue;
    const parsed = parseLine(line, nowUs);
    if (!parsed) {
      problems.add('is not a journal line', place);
      continue;
    }
    const current = boots.at(-1);
    const isKernelStart = parsed.identifier === 'kernel' && parsed.message.startsWith('Linux version ');
    // The first line sets the clock: a continuation line of a message may look like a line in another format.
    if (current && !isNewBoot && current.clock !== parsed.clock) {
      problems.add('is on another clock than the lines before it', place);
      continue;
    }
    if (!current || isNewBoot || (isKernelStart && current.hasLines)) {
      boots.push(new TextBoot(parsed.clock, bootId));
      isNewBoot = false;
      bootId = undefined;
    }
    boots.at(-1)!.add(parsed);
  }
  const notes = problems.notes(input.name, 'line');
  return boots.map((boot) => {
    const found = boot.evidence(input.name);
    return { ...found, notes: [...found.notes, ...notes] };
  });
}

class TextBoot {
  readonly clock: 'monotonic' | 'wall';
  hasLines = false;
  readonly #log: BootLog;
  readonly #bootId: string | undefined;

  constructor(clock: 'monotonic' | 'wall', bootId: string | undefined) {
    this.clock = clock;
    this.#bootId = bootId;
    this.#log = new BootLog({ clock, holds: 'journal' });
  }

  add(line: TextLine): void {
    if (!this.hasLines && line.isZoneless)
      this.#log.note('info', 'the times in this text have no zone and are read as UTC');
    this.hasLines = true;
    const host: HostFacts | undefined = line.host === undefined ? undefined : { hostname: line.host };
    if (host) this.#log.addHostFacts(host);
    this.#log.addLine(line);
  }

  evidence(input: string): Evidence {
    const facts = this.#log.facts();
    const finishedUs = this.#log.startupFinishedUs;
    const { manager } = facts;
    // PID 1 prints this when start-up finishes, with the durations, so it relates both clocks.
    const anchors =
      this.clock === 'wall' && manager && finishedUs !== undefined && manager.finishUs > 0
        ? [{ monotonicUs: manager.finishUs, wallUs: finishedUs, errorUs: 1e6 }]
        : [];
    return evidence({
      kind: 'journal-text',
      input,
      clock: this.clock,
      anchors,
      ...(this.#bootId !== undefined && { bootId: this.#bootId }),
      ...facts,
    });
  }
}

const ANSI = /\x1b\[[0-9;?]*[A-Za-z]/g;
const SEPARATOR = /^-- (?:Boot ([0-9a-f]{32})|Reboot) --$/;

/** Headers (`-- Logs begin at …`), blank lines and indented continuation lines. */
function isBlank(line: string): boolean {
  return line === '' || /^(?:-- |\s)/.test(line);
}

const MONOTONIC = /^\[ *(\d{1,10})\.(\d{6})\] (.*)$/s;
const YEARLESS = /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d(?:\.\d{1,6})?) (.*)$/s;
const ISO = /^((?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?: UTC|Z|[+-]\d\d:?\d\d)?) (.*)$/s;
const UNIX = /^(\d{9,11})\.(\d{6}) (.*)$/s;
/** `host ident[pid]: message`; `--no-hostname` omits the host. */
const WRITER = /^(?:([A-Za-z0-9]\S{0,254}) )??([\w(]\S{0,254}?)(?:\[(\d{1,10})\])?:(?: (.*))?$/s;

function parseLine(line: string, nowUs: number): TextLine | undefined {
  const klog = /^[IWEF]\d{4} /.test(line) ? parseKlog(line, nowUs) : undefined;
  if (klog?.wallUs !== undefined) return { clock: 'wall', atUs: klog.wallUs, identifier: 'kubelet', message: line };
  if (isGuestAgentLine(line)) {
    const atUs = parseIsoStamp(line.slice(0, line.search(/Z? (?:INFO|WARNING|ERROR|VERBOSE) /)));
    return atUs === undefined ? undefined : { clock: 'wall', atUs, identifier: 'waagent', message: line };
  }
  const monotonic = MONOTONIC.exec(line);
  if (monotonic) return written('monotonic', Number(monotonic[1]) * 1e6 + Number(monotonic[2]), monotonic[3]!);
  const iso = ISO.exec(line);
  if (iso) return written('wall', parseIsoStamp(iso[1]!.replace(/^[A-Z][a-z]{2} /, '')), iso[2]!);
  const yearless = YEARLESS.exec(line);
  if (yearless) {
    const atUs = parseYearlessStamp(yearless[1]!, Number(yearless[2]), yearless[3]!, nowUs);
    const line = written('wall', atUs, yearless[4]!);
    return line && { ...sharpened(line, nowUs), isZoneless: true };
  }
  const unix = UNIX.exec(line);
  return unix ? written('wall', Number(unix[1]) * 1e6 + Number(unix[2]), unix[3]!) : undefined;
}

/** The journal prints whole seconds; kubelet's own stamp in the line has microseconds. */
function sharpened(line: TextLine, nowUs: number): TextLine {
  const own = line.identifier === 'kubelet' ? parseKlog(line.message, nowUs)?.wallUs : undefined;
  return own !== undefined && Math.abs(own - line.atUs) < 2e6 ? { ...line, atUs: own } : line;
}

function written(clock: TextLine['clock'], atUs: number | undefined, rest: string): TextLine | undefined {
  const m = WRITER.exec(rest);
  if (!m || atUs === undefined) return undefined;
  return { clock, atUs, host: m[1], identifier: m[2]!, pid: m[3], message: m[4] ?? '' };
}
