// boot/load/sources/kubernetes/klog.ts: parses one log line of a Kubernetes component: klog text, structured or not, or JSON.
import { latestYear } from '../logs/log-stamp.ts';

export interface KlogLine {
  /** Without quotes: `Successfully registered node`. */
  message: string;
  /** Structured values: `node="node-1"`. */
  values: ReadonlyMap<string, string>;
  /** Wall clock; klog text has no year, so this needs `nowUs`. */
  wallUs?: number;
}

/** `I1115 21:08:50.123456  1234 kubelet.go:123] "Starting kubelet" key="value"` or JSON; undefined for other lines. */
export function parseKlog(line: string, nowUs?: number): KlogLine | undefined {
  if (line.startsWith('{')) return parseJsonLine(line);
  const m = HEADER.exec(line);
  if (!m) return undefined;
  const wallUs = nowUs === undefined ? undefined : latestYear(Number(m[1]), Number(m[2]), m[3]!, nowUs);
  return { ...splitBody(m[4]!), ...(wallUs !== undefined && { wallUs }) };
}

const HEADER = /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{6})\s+\d+ [^\s\]]+:\d+\] ?(.*)$/s;
/** A quoted string with escaped quotes. Each character matches in only one way, so matching is linear. */
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
const SENTENCE = new RegExp(`^${QUOTED}`, 's');
const VALUE = new RegExp(String.raw`(?<![\w./-])([\w./-]{1,64})=(?:${QUOTED}|([^\s"]+))`, 'gs');
/** A line may quote a whole pod spec; the values used here are short. */
const MAX_BODY = 4_096;

function splitBody(body: string): Pick<KlogLine, 'message' | 'values'> {
  const text = body.slice(0, MAX_BODY);
  const sentence = SENTENCE.exec(text);
  if (!sentence) return { message: text, values: new Map() };
  const values = new Map<string, string>();
  for (const [, key, quoted, bare] of text.slice(sentence[0].length).matchAll(VALUE)) values.set(key!, quoted ?? bare!);
  return { message: sentence[1]!, values };
}

function parseJsonLine(line: string): KlogLine | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || !('msg' in parsed) || typeof parsed.msg !== 'string')
    return undefined;
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parsed)) if (typeof value === 'string') values.set(key, value);
  const ts = 'ts' in parsed && typeof parsed.ts === 'number' ? parsed.ts : undefined; // milliseconds
  return { message: parsed.msg, values, ...(ts !== undefined && { wallUs: Math.round(ts * 1000) }) };
}
