// boot/compat/cloud-init/exact/compat-events.ts: which events does `cloud-init analyze` read from a file, JSON or log?
import { isUtf8 } from 'node:buffer';
import { HEAD_BYTES, type Input } from '../../../load/input.ts';
import { blocksOf, visitLines } from '../read/scan.ts';
import { ToolCrash } from './compat-crash.ts';
import { compatLine } from './compat-line.ts';
import type { StampContext } from './compat-stamp.ts';
import type { CompatVersion } from './compat-version.ts';
import { loadsJson, type PythonValue } from './python-json.ts';

/** A dict in the real tool; if read from JSON, it may have any keys. */
export type CompatEvent = Readonly<Record<string, PythonValue>>;

export interface CompatContext extends StampContext {
  /** The tool prints `Skipping invalid entry` here. Called immediately, so that it is printed even before a crash. */
  onSkip(): void;
}

/** The tool prints one line and exits with 1 for an empty file. */
export class EmptyFile extends Error {}

const MARKERS = ['start:', 'finish:', 'Cloud-init v.'];

/** A list, unless the file is JSON of another type: `dump` prints that too. */
export function compatEvents(input: Input, version: CompatVersion, context: CompatContext): PythonValue {
  const json = jsonOf(input);
  if (json !== undefined && isTruthy(json)) return json;
  const events: PythonValue[] = [];
  let isEmpty = true;
  let latest: PythonValue | undefined; // the tool does not reset this for an invalid entry, so it appends the previous event again
  const lineContext = { ...context, readsAmazonLines: version.readsAmazonLines };
  const visit = (text: string): void => {
    for (const marker of MARKERS) {
      if (!text.includes(marker)) continue;
      const reading = compatLine(text, lineContext);
      if (reading === 'invalid') context.onSkip();
      else latest = reading === 'nothing' ? undefined : (reading as unknown as PythonValue);
      if (latest !== undefined) events.push(latest);
    }
  };
  for (const block of blocksOf(input)) {
    if (!isUtf8(block.bytes)) throw new ToolCrash("UnicodeDecodeError: 'utf-8' codec can't decode the file");
    isEmpty &&= isBlank(block.bytes);
    visitLines(block, MARKERS, visit);
  }
  if (isEmpty) {
    if (version.reportsEmptyFile) throw new EmptyFile();
    if (sizeIsZero(input)) throw new ToolCrash('ValueError: Either cisource or rawdata parameters are required');
  }
  return events;
}

/** The tool tries to parse the whole file as JSON first. The first byte rules out most logs, so that they are not read twice. */
function jsonOf(input: Input): PythonValue | undefined {
  const { head } = input;
  const first = head.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  if (first === undefined || !'[{"-0123456789tfn'.includes(String.fromCharCode(first))) return undefined;
  const mayBeLong = first === 0x5b || first === 0x7b || first === 0x22;
  if (!mayBeLong && (head.length >= HEAD_BYTES || head.includes(0x3a))) return undefined; // no scalar has a colon
  const bytes = input.bytes();
  if (!isUtf8(bytes)) throw new ToolCrash("UnicodeDecodeError: 'utf-8' codec can't decode the file");
  return loadsJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

function isTruthy(value: PythonValue): boolean {
  if (value === null || typeof value !== 'object') return Boolean(value);
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x1f));
}

function sizeIsZero(input: Input): boolean {
  return input.head.length === 0;
}
