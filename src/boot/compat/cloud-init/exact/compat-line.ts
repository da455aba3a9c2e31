// boot/compat/cloud-init/exact/compat-line.ts: which event does `cloud-init analyze` read from a log line, including its mistakes?

import { internText } from '../read/intern-text.ts';
import { ToolCrash } from './compat-crash.ts';
import { compatStamp, type StampContext } from './compat-stamp.ts';
import { afterFirst, firstWords, strip, stripLeft, stripLeftColons, stripRightColons, wordsOf } from './python-text.ts';

export interface LineEvent {
  name: string;
  description: string;
  timestamp: number;
  origin: 'cloudinit';
  event_type: string;
  result?: string;
}

/** `nothing`: not an event · `invalid`: the tool prints a message and repeats the previous event. */
export type CompatLineResult = LineEvent | 'nothing' | 'invalid';

const AMAZON = ' cloud-init[';
const SEPARATORS = [' - ', ' [CLOUDINIT] '];
const SEPARATORS_WITH_AMAZON = [...SEPARATORS, AMAZON];

const STAGE_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['finished', 'finished running cloud-init'],
  ['init-local', 'starting search for local datasources'],
  ['init-network', 'searching for network datasources'],
  ['init', 'searching for network datasources'],
  ['modules-config', 'running config modules'],
  ['modules-final', 'finalizing modules'],
  ['modules', 'running modules for'],
  ['single', 'running single module '],
]);

export interface LineContext extends StampContext {
  readsAmazonLines: boolean;
}

export function compatLine(line: string, context: LineContext): CompatLineResult {
  const separators = context.readsAmazonLines ? SEPARATORS_WITH_AMAZON : SEPARATORS;
  const separator = separators.find((candidate) => line.includes(candidate));
  if (separator === undefined) return 'nothing';
  const at = line.indexOf(separator);
  const right = line.slice(at + separator.length);
  if (right.includes(separator)) return 'invalid'; // it unpacks a split into exactly two parts
  const parts = splitTime(line.slice(0, at), right, separator);
  if (parts === 'invalid') return 'invalid';
  return parts.message.includes('Cloud-init v.')
    ? bannerEvent(parts.message, parts.stamp, context)
    : reportedEvent(parts.message, parts.stamp, context);
}

function splitTime(left: string, message: string, separator: string): { stamp: string; message: string } | 'invalid' {
  const time = left.endsWith(':') ? wordsOf(left).slice(0, -1).join(' ') : left;
  const comma = time.indexOf(',');
  if (comma >= 0) {
    const extra = time.slice(comma + 1);
    if (extra.includes(',')) return 'invalid';
    const [millis] = firstWords(extra, 1);
    if (millis === undefined) throw new ToolCrash('list index out of range (nothing after the comma of the time)');
    return { stamp: `${time.slice(0, comma)},${millis}`, message };
  }
  const host = wordsOf(time).at(-1);
  if (host === undefined) throw new ToolCrash('list index out of range (a line without a time)');
  if (separator !== AMAZON) return { stamp: strip(time.slice(0, time.indexOf(host))), message };
  const [pid] = firstWords(message, 1);
  const rest = pid === undefined ? '' : stripLeft(message.slice(message.indexOf(pid) + pid.length));
  if (rest === '') throw new ToolCrash('list index out of range (nothing after the process id)');
  return { stamp: strip(time), message: rest };
}

function bannerEvent(message: string, stamp: string, context: StampContext): CompatLineResult {
  if (!message.includes('running')) return 'nothing';
  const parts = stripLeft(afterFirst(message, 'running')).split(' at ');
  if (parts.length !== 2) return 'invalid';
  const written = parts[0]!.replaceAll("'", '').replaceAll(':', '-');
  const name = written === 'init' ? 'init-network' : written;
  const description = STAGE_DESCRIPTIONS.get(name);
  if (description === undefined) throw new ToolCrash(`KeyError: '${name}' (a stage it does not know)`);
  const timestamp = compatStamp(stamp, context);
  if (timestamp === undefined) return 'invalid';
  return { name: stripRightColons(name), description, timestamp, origin: 'cloudinit', event_type: 'start' };
}

function reportedEvent(message: string, stamp: string, context: StampContext): CompatLineResult {
  const [, type, name] = firstWords(message, 3);
  if (type === undefined || name === undefined) return 'invalid';
  const description = strip(afterFirst(message, name));
  const timestamp = compatStamp(stamp, context);
  if (timestamp === undefined) return 'invalid';
  const event: LineEvent = {
    name: internText(stripRightColons(name)),
    description: '',
    timestamp,
    origin: 'cloudinit',
    event_type: internText(stripRightColons(type)),
  };
  if (event.event_type !== 'finish') {
    event.description = internText(description);
    return event;
  }
  const colon = description.indexOf(':');
  const result = colon < 0 ? description : description.slice(0, colon);
  if (result === '') return 'invalid';
  event.result = internText(result);
  event.description = internText(strip(stripLeftColons(afterFirst(description, result))));
  return event;
}
