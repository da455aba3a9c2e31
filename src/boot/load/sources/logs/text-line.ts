// boot/load/sources/logs/text-line.ts: when, and by which program, was one line of a text log written?
import { parseKlog } from '../kubernetes/klog.ts';
import { isGuestAgentLine } from '../platform/guest-agent-lines.ts';
import { parseNodeadmLine } from '../platform/nodeadm-lines.ts';
import { parseIsoStamp, parseYearlessStamp } from './log-stamp.ts';

export interface TextLine {
  clock: 'monotonic' | 'wall';
  atUs: number;
  host?: string | undefined;
  identifier: string;
  pid?: string | undefined;
  message: string;
  /** Neither zone nor year. */
  isYearless?: boolean;
  /** The stamp is cut to this. */
  resolutionUs: number;
  /** rsyslog and older journals keep the kernel's own stamp: `kernel: [    1.234567] …`. */
  kernelUs?: number;
}

const MONOTONIC = /^\[ *(\d{1,10})\.(\d{6})\] (.*)$/s;
const YEARLESS = /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d(?:\.\d{1,6})?) (.*)$/s;
const ISO = /^((?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?: UTC|Z|[+-]\d\d:?\d\d)?) (.*)$/s;
const UNIX = /^(\d{9,11})\.(\d{6}) (.*)$/s;
/** `host ident[pid]: message`; `--no-hostname` omits the host. */
const WRITER = /^(?:([A-Za-z0-9]\S{0,254}) )??([\w([]\S{0,254}?)(?:\[(\d{1,10})\])?:(?: (.*))?$/s;

const KERNEL_STAMP = /^\[ *(\d{1,10})\.(\d{6})\] ?(.*)$/s;

/** `nowUs`: stamps without a year are not after this. */
export function parseTextLine(line: string, nowUs: number): TextLine | undefined {
  const klog = /^[IWEF]\d{4} /.test(line) ? parseKlog(line, nowUs) : undefined;
  if (klog?.wallUs !== undefined) {
    return {
      clock: 'wall',
      atUs: klog.wallUs,
      identifier: 'kubelet',
      message: line,
      isYearless: true,
      resolutionUs: 1,
    };
  }
  if (isGuestAgentLine(line)) {
    const atUs = parseIsoStamp(line.slice(0, line.search(/Z? (?:INFO|WARNING|ERROR|VERBOSE) /)));
    return atUs === undefined
      ? undefined
      : { clock: 'wall', atUs, identifier: 'waagent', message: line, resolutionUs: 1 };
  }
  const monotonic = MONOTONIC.exec(line);
  if (monotonic) return written('monotonic', Number(monotonic[1]) * 1e6 + Number(monotonic[2]), monotonic[3]!);
  const iso = ISO.exec(line);
  if (iso) return cut(written('wall', parseIsoStamp(iso[1]!.replace(/^[A-Z][a-z]{2} /, '')), iso[2]!), iso[1]!);
  const yearless = YEARLESS.exec(line);
  if (yearless) {
    const atUs = parseYearlessStamp(yearless[1]!, Number(yearless[2]), yearless[3]!, nowUs);
    const line = cut(written('wall', atUs, yearless[4]!), yearless[3]!);
    return line && { ...sharpened(line, nowUs), isYearless: true };
  }
  const unix = UNIX.exec(line);
  return unix ? written('wall', Number(unix[1]) * 1e6 + Number(unix[2]), unix[3]!) : undefined;
}

/** The journal prints whole seconds; the stamps that kubelet and nodeadm write into their lines have microseconds. */
function sharpened(line: TextLine, nowUs: number): TextLine {
  const own = ownStamp(line, nowUs);
  return own !== undefined && Math.abs(own - line.atUs) < 2e6 ? { ...line, atUs: own, resolutionUs: 1 } : line;
}

function ownStamp({ identifier, message }: TextLine, nowUs: number): number | undefined {
  if (identifier === 'kubelet') return parseKlog(message, nowUs)?.wallUs;
  return identifier === 'nodeadm' ? parseNodeadmLine(message)?.wallUs : undefined;
}

/** `stamp` without a fraction is in whole seconds. */
function cut(line: TextLine | undefined, stamp: string): TextLine | undefined {
  return line && !/:\d\d[.,]\d/.test(stamp) ? { ...line, resolutionUs: 1e6 } : line;
}

function written(clock: TextLine['clock'], atUs: number | undefined, rest: string): TextLine | undefined {
  const m = WRITER.exec(rest);
  if (!m || atUs === undefined) return undefined;
  const line = { clock, atUs, host: m[1], identifier: m[2]!, pid: m[3], message: m[4] ?? '', resolutionUs: 1 };
  const own = line.identifier === 'kernel' ? KERNEL_STAMP.exec(line.message) : null;
  return own ? { ...line, message: own[3]!, kernelUs: Number(own[1]) * 1e6 + Number(own[2]) } : line;
}
