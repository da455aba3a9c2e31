// boot/load/sources/logs/console-line.ts: what does one line of a serial console say? Several programs write to it at once, some
// with a time and some without.
import { parseSpan } from '../../../../base/duration.ts';
import { type Banner, parseBanner } from '../cloud-init-banners.ts';

export type ConsoleLine =
  | { kind: 'stamped'; atUs: number; identifier: string; pid?: string; message: string }
  | { kind: 'banner'; banner: Banner }
  /** systemd: `[  OK  ] Started …`, `[FAILED] Failed to start …`. It has no time. */
  | { kind: 'status'; isFailed: boolean; text: string }
  /** `A start job is running for … (12s / 1min 30s)` */
  | { kind: 'job'; name: string; tookUs: number }
  | { kind: 'login'; hostname: string };

/** Colours, cursor moves, and character-set switches. */
const ESCAPES = /\u001b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[78MDEc=>])/g;
/** What a clipboard leaves of a colour: `[[0;32m  OK  [0m]`. */
const BARE_COLOURS = /\[(?:\d{1,2};){0,3}\d{1,2}m/g;
/** A quoted or indented paste. systemd indents only lines without a status. */
const QUOTE = /^[ >]{1,40}(?=\[)/;
/** systemd's status may follow the text of another program without a line end. */
const GLUED = /(?=\[(?: {2}OK {2}|FAILED|DEPEND)\] )/;

/** A physical line as the pieces that different programs wrote. */
export function consolePieces(raw: string): string[] {
  const plain = raw.includes('\u001b') ? raw.replace(ESCAPES, '') : raw;
  const text = plain.includes('[0m') ? plain.replace(BARE_COLOURS, '') : plain;
  return text
    .replace(QUOTE, '')
    .split('\r')
    .flatMap((part) => (part.includes('] ') ? part.split(GLUED) : [part]))
    .filter((part) => part.trim() !== '');
}

const STAMPED = /^(?:<\d{1,3}>)?\[ *(\d{1,10})\.(\d{6})\](?:\[ *[TC]\d+\])? ?(.*)$/s;
const WRITER = /^([A-Za-z][\w.@-]{0,80})\[(\d{1,10})\]: (.*)$/s;
const STATUS = /^\[( {2}OK {2}|FAILED|DEPEND| {2}INFO| {2}WARN| SKIP | {2}TIME)\] (\S.*)$/s;
const JOB = /^\[[ *]{6}\] (?:\(\d+ of \d+\) )?A start job is running for (.{1,200}?) \(([\w. ]{1,40}) \/ .{1,40}\)/;
const LOGIN = /^([a-z0-9][\w.-]{0,252}) login: ?$/i;

export function parseConsoleLine(line: string): ConsoleLine | undefined {
  const stamped = STAMPED.exec(line);
  if (stamped) {
    const atUs = Number(stamped[1]) * 1e6 + Number(stamped[2]);
    const writer = WRITER.exec(stamped[3]!);
    const banner = writer?.[1] === 'cloud-init' ? parseBanner(writer[3]!) : undefined;
    if (banner) return { kind: 'banner', banner };
    return writer && OWN_LINES.has(writer[1]!)
      ? { kind: 'stamped', atUs, identifier: writer[1]!, pid: writer[2]!, message: writer[3]! }
      : { kind: 'stamped', atUs, identifier: 'kernel', message: stamped[3]! };
  }
  const status = STATUS.exec(line);
  if (status) return { kind: 'status', isFailed: /FAILED|DEPEND|TIME/.test(status[1]!), text: status[2]! };
  const job = JOB.exec(line);
  const tookUs = job ? parseSpan(job[2]!) : undefined;
  if (job && tookUs !== undefined) return { kind: 'job', name: job[1]!, tookUs };
  const login = LOGIN.exec(line);
  if (login) return { kind: 'login', hostname: login[1]! };
  const banner = line.startsWith('Cloud-init v. ') ? parseBanner(line) : undefined;
  return banner && { kind: 'banner', banner };
}

/** Programs whose lines boot-log.ts reads. PID 1 writes to the kernel log, so its lines are lines of the kernel. */
const OWN_LINES: ReadonlySet<string> = new Set(['cloud-init', 'ignition', 'nodeadm', 'kubelet']);
