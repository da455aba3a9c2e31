// boot/load/sources/platform/kvp-records.ts: which cloud-init events are in the records of a Hyper-V key-value pool? Joins sliced events.
import type { Problems } from '../problems.ts';

const KEY_BYTES = 512;
export const RECORD_BYTES = 2560;
const PREFIX = 'CLOUD_INIT|';

export interface KvpEvent {
  /** Wall clock at kernel start in whole seconds; distinguishes boots. */
  incarnation: number;
  type: string;
  name: string;
  vmId?: string;
  /** ISO 8601 in UTC, as written. */
  stamp?: string;
  result?: string;
  durationS?: number;
  message: string;
  /** Number of its first record, counting from 1. */
  place: number;
}

interface Slice {
  place: number;
  index: number;
  text: string;
}

/** Events of cloud-init in the order of their first record; skips records of other writers. */
export function kvpEvents(chunks: Iterable<Uint8Array>, problems: Problems): KvpEvent[] {
  const slices = new Map<string, Slice[]>();
  for (const { key, value, place } of recordsOf(chunks, problems)) {
    if (!key.startsWith(PREFIX)) continue;
    if (key.includes('\ufffd') || value.includes('\ufffd')) problems.add('is not valid UTF-8', place);
    const index = /\|(\d{1,6})$/.exec(key)?.[1];
    const whole = index === undefined ? key : key.slice(0, -index.length - 1);
    const known = slices.get(whole);
    const slice = { place, index: Number(index ?? 0), text: value };
    if (known) known.push(slice);
    else slices.set(whole, [slice]);
  }
  const events: KvpEvent[] = [];
  for (const [key, parts] of slices) {
    const event = eventOf(key, parts, problems);
    if (event) events.push(event);
  }
  return events;
}

function* recordsOf(
  chunks: Iterable<Uint8Array>,
  problems: Problems,
): Generator<{ key: string; value: string; place: number }> {
  const decoder = new TextDecoder();
  const text = (bytes: Uint8Array) => {
    const end = bytes.indexOf(0);
    return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
  };
  let held = new Uint8Array(0);
  let place = 0;
  for (const chunk of chunks) {
    const joined = new Uint8Array(held.length + chunk.length);
    joined.set(held);
    joined.set(chunk, held.length);
    let at = 0;
    for (; at + RECORD_BYTES <= joined.length; at += RECORD_BYTES) {
      place++;
      const record = joined.subarray(at, at + RECORD_BYTES);
      yield { key: text(record.subarray(0, KEY_BYTES)), value: text(record.subarray(KEY_BYTES)), place };
    }
    held = joined.slice(at);
  }
  if (held.length > 0) problems.add(`is truncated (${held.length} of ${RECORD_BYTES} bytes)`, place + 1);
}

/** `CLOUD_INIT|incarnation|type|name|…ids`: newer releases write the VM id before the event's id. */
function eventOf(key: string, parts: Slice[], problems: Problems): KvpEvent | undefined {
  const [, incarnation, type, name, ...ids] = key.split('|');
  const place = parts[0]!.place;
  if (!/^\d{1,11}$/.test(incarnation ?? '') || !type || !name) {
    problems.add('has a key of an unknown format', place);
    return undefined;
  }
  const inOrder = parts.toSorted((a, b) => a.index - b.index);
  const hasGap = inOrder.some((slice, i) => slice.index !== i);
  if (hasGap) problems.add('belongs to an event with missing slices', place);
  const value = reassemble(inOrder);
  if (!value) {
    problems.add('has a value that is not JSON', place);
    return undefined;
  }
  const vmId = ids.length > 1 ? ids[0] : undefined;
  const text = (field: string) => (typeof value[field] === 'string' ? (value[field] as string) : undefined);
  const duration = value.duration;
  const stamp = text('ts');
  const result = text('result');
  return {
    incarnation: Number(incarnation),
    type,
    name,
    message: text('msg') ?? '',
    place,
    ...(vmId && { vmId }),
    ...(stamp !== undefined && { stamp }),
    ...(result !== undefined && { result }),
    ...(typeof duration === 'number' && Number.isFinite(duration) && duration >= 0 && { durationS: duration }),
  };
}

/**
 * cloud-init splits a long message after JSON-escaping it, so a slice may end inside an escape and not be valid JSON.
 * Join the escaped pieces first. The message is the last member of every slice.
 */
function reassemble(slices: readonly Slice[]): Record<string, unknown> | undefined {
  const first = slices[0]!.text;
  if (slices.length === 1) return parseObject(first);
  const marker = '"msg":"';
  const at = first.indexOf(marker);
  if (at < 0) return parseObject(first);
  const pieces = slices.map(({ text }) => {
    const start = text.indexOf(marker);
    return start < 0 ? '' : text.slice(start + marker.length).replace(/"\}$/, '');
  });
  return (
    parseObject(`${first.slice(0, at)}${marker}${pieces.join('')}"}`) ?? parseObject(`${first.slice(0, at)}"msg":""}`)
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
