// boot/compat/cloud-init/read/recognise.ts: is this a cloud-init log, or the JSON of `cloud-init analyze dump`?
import { decodeText } from '../../../load/input.ts';

const LOOK_AT_BYTES = 64 * 1024;

/** Confidence from 0 to 1. Recognises logs by cloud-init's own lines, with any timestamp format. */
export function looksLikeLog(head: Uint8Array): number {
  const first = firstByte(head);
  if (first === undefined || first === 0x7b || first === 0x3c) return 0; // other kinds start with `{` or `<`
  const lines = decodeText(head.subarray(0, LOOK_AT_BYTES)).split('\n');
  let own = 0;
  let events = 0;
  let banners = 0;
  for (const line of lines) {
    if (OWN_LINE.test(line)) own++;
    if (EVENT.test(line)) events++;
    if (BANNER.test(line)) banners++;
  }
  if (events + banners === 0 && own < 3) return 0;
  const share = own / lines.filter((line) => line.trim() !== '').length;
  // A journal of the whole machine contains some of these lines too, but is not a cloud-init log.
  if (share >= 0.3) return 0.95;
  return events > 0 && share > 0.1 ? 0.5 : events > 0 || banners > 0 ? 0.2 : 0;
}

const STAMP = /^\W*(?:<\d+>)?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d)/;
const OWN_LINE = new RegExp(`${STAMP.source}.{0,120}?\\w\\.py\\[[A-Z]+\\]: |${STAMP.source}.{0,120} \\[CLOUDINIT\\] `);
const EVENT = new RegExp(
  `${STAMP.source}.*(?:\\[[A-Z]+\\]: (?:start|finish): \\S|\\b(?:start|finish): (?:init-local|init-network|modules-\\w+)[/:])`,
);
const BANNER = new RegExp(`${STAMP.source}.*Cloud-init v\\. \\S+ (?:running|finished)`);

export function looksLikeDump(head: Uint8Array): number {
  if (firstByte(head) !== 0x5b) return 0;
  const text = decodeText(head.subarray(0, LOOK_AT_BYTES));
  return /"event_type": *"(?:start|finish)"/.test(text) && /"timestamp"/.test(text) ? 0.95 : 0;
}

function firstByte(head: Uint8Array): number | undefined {
  return head.find((byte) => byte > 0x20);
}
