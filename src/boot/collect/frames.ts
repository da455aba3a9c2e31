// boot/collect/frames.ts: parses the output of remote.sh: header lines, each followed by the number of bytes it states.
import { type BundleMember, fromFirstWholeLine, type MissedItem, toLastWholeLine } from './collect-result.ts';

export interface Frames {
  members: BundleMember[];
  missed: MissedItem[];
  /** The stream ended with the `end` line. */
  isComplete: boolean;
}

const MAGIC = 'headstart-collect 1\n';
const MAX_HEADER_BYTES = 8192;

/** Never throws: for a truncated or foreign stream, returns the complete items before the error. */
export function parseFrames(stream: Buffer): Frames {
  const frames: Frames = { members: [], missed: [], isComplete: false };
  const magic = stream.indexOf(MAGIC); // a login script may print a greeting first
  if (magic < 0) return frames;
  for (let at = magic + MAGIC.length; at < stream.length; ) {
    const lineEnd = stream.indexOf(10, at);
    if (lineEnd < 0 || lineEnd - at > MAX_HEADER_BYTES) return frames;
    const header = stream.toString('utf8', at, lineEnd);
    at = lineEnd + 1;
    if (header === 'end') return { ...frames, isComplete: true };
    const missed = /^miss ([^\t]+)\t(.*)$/.exec(header);
    if (missed) {
      frames.missed.push({ name: missed[1]!, why: missed[2]! });
      continue;
    }
    const item = /^item (\d{1,12}) (whole|first|last) (.+)$/.exec(header);
    if (!item || at + Number(item[1]) > stream.length) return frames;
    const bytes = stream.subarray(at, at + Number(item[1]));
    at += bytes.length + 1;
    if (isPlainName(item[3]!)) frames.members.push({ name: item[3]!, ...part(bytes, item[2]!) });
    else frames.missed.push({ name: JSON.stringify(item[3]), why: 'invalid file name' });
  }
  return frames;
}

/** The name ends up in an archive: it must not escape the folder where a user unpacks it. */
function isPlainName(name: string): boolean {
  return !name.startsWith('/') && !name.split('/').includes('..') && !/\p{Cc}/u.test(name);
}

function part(bytes: Buffer, which: string): Pick<BundleMember, 'bytes' | 'note'> {
  if (which === 'first') return { bytes: toLastWholeLine(bytes), note: 'only the first part' };
  if (which === 'last') return { bytes: fromFirstWholeLine(bytes), note: 'only the last part' };
  return { bytes };
}
