// boot/load/sources/logs/dmesg.ts: reads the kernel log as `dmesg` prints it: seconds since kernel start, or dates with -T.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { BootLog } from './boot-log.ts';
import { consolePieces, parseConsoleLine } from './console-line.ts';
import { parseConsole } from './console-log.ts';
import { parseDateStamp, parseIsoStamp } from './log-stamp.ts';

export const dmesgSource = { kind: 'dmesg', title: 'dmesg', recognise, parse } satisfies EvidenceSource;

interface KernelLine {
  clock: 'monotonic' | 'wall';
  atUs: number;
  message: string;
}

function recognise(input: Input): number {
  const lines = headText(input).split(/\r?\n/, 60);
  if (lines.length > 1) lines.pop(); // may be cut
  const filled = lines.filter((line) => line.trim() !== '');
  const read = filled.filter((line) => parseLine(line) !== undefined).length;
  const share = filled.length === 0 ? 0 : read / filled.length;
  return share >= 0.5 ? 0.7 * share : 0;
}

function parse(input: Input): Evidence[] {
  const problems = new Problems();
  const boots: { line: number; clock: 'monotonic' | 'wall'; log: BootLog }[] = [];
  let place = 0;
  let indent = Number.POSITIVE_INFINITY;
  for (const line of linesOf(input)) {
    place++;
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (!parsed) {
      // The kernel part of a console log can be longer than what decides the kind.
      if (isConsoleOnly(line)) return parseConsole(input);
      // Continuation lines are indented below the start of their message.
      if (line.search(/\S/) < indent) problems.add('is not a kernel line', place);
      continue;
    }
    indent = line.length - parsed.message.length;
    // A console log may contain several boots.
    const current = boots.at(-1);
    if (current && current.clock !== parsed.clock) {
      problems.add('is on another clock than the lines before it', place);
      continue;
    }
    if (!current || /^(?:kernel: )?Linux version /.test(parsed.message)) {
      boots.push({ line: place, clock: parsed.clock, log: new BootLog({ clock: parsed.clock, holds: 'kernel-log' }) });
    }
    // Ubuntu writes /var/log/dmesg with journalctl: `[    2.405911] kernel: Run /sbin/init as init process`.
    const message = parsed.message.replace(/^kernel: /, '');
    boots.at(-1)!.log.addLine({ ...parsed, message, identifier: 'kernel' });
  }
  const notes = problems.notes(input.name, 'line');
  return boots.map(({ line, clock, log }) => {
    if (clock === 'wall') log.note('info', `${input.name}: ${DATES_DRIFT}`);
    const facts = log.facts();
    return evidence({
      kind: 'dmesg',
      input: input.name,
      clock,
      ...(boots.length > 1 && { name: `line ${line}` }),
      ...facts,
      notes: [...facts.notes, ...notes],
    });
  });
}

function isConsoleOnly(line: string): boolean {
  return consolePieces(line).some((piece) => {
    const kind = parseConsoleLine(piece)?.kind;
    return kind === 'status' || kind === 'banner';
  });
}

const DATES_DRIFT =
  'dmesg computes dates from the wall clock when it runs, so they are off by every later clock step and suspend; plain seconds are exact';

/** `<6>` with --raw, `kern  :info  :` with -x; some kernels add a caller `[T1]`, and -d adds a delta `< 0.1>`. */
const PREFIX = String.raw`^(?:<\d{1,3}>)?(?:[a-z]+ *:[a-z]+ *: )?`;
const SECONDS = new RegExp(
  String.raw`${PREFIX}\[ *(\d{1,10})\.(\d{6})(?: < *[\d.]*>)?\](?:\[ *[TC]\d+\])? ?(.*)$`,
  's',
);
const DATE = new RegExp(
  String.raw`${PREFIX}\[([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] ?(.*)$`,
  's',
);
const ISO = new RegExp(String.raw`${PREFIX}(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d) (.*)$`, 's');

function parseLine(line: string): KernelLine | undefined {
  const seconds = SECONDS.exec(line);
  if (seconds) {
    return { clock: 'monotonic', atUs: Number(seconds[1]) * 1e6 + Number(seconds[2]), message: seconds[3]! };
  }
  const date = DATE.exec(line);
  const iso = date ? undefined : ISO.exec(line);
  const atUs = date ? parseDateStamp(date[1]!) : iso ? parseIsoStamp(iso[1]!) : undefined;
  return atUs === undefined ? undefined : { clock: 'wall', atUs, message: (date ?? iso)![2]! };
}
