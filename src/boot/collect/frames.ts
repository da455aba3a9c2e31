// boot/collect/frames.ts: read what remote.sh sent: lines that name a thing, each followed by as many bytes as it says.
import { type BundleMember, fromFirstWholeLine, type MissedItem, toLastWholeLine } from './collect-result.ts';

export interface Frames {
  members: BundleMember[];
  missed: MissedItem[];
  /** The last line said so. */
  isComplete: boolean;
}

const MAGIC = 'headstart-collect 1\n';
const MAX_HEADER_BYTES = 8192;

/** Never throws: a stream that breaks off, or was never one, gives what was whole before. */
export function parseFrames(stream: Buffer): Frames {
  const frames: Frames = { members: [], missed: [], isComplete: false };
  const magic = stream.indexOf(MAGIC); // a login script may have greeted first
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
    else frames.missed.push({ name: JSON.stringify(item[3]), why: 'not a name for a file' });
  }
  return frames;
}

/** It becomes a name in an archive that someone may unpack. */
function isPlainName(name: string): boolean {
  return !name.startsWith('/') && !name.split('/').includes('..') && !/\p{Cc}/u.test(name);
}

function part(bytes: Buffer, which: string): Pick<BundleMember, 'bytes' | 'note'> {
  if (which === 'first') return { bytes: toLastWholeLine(bytes), note: 'only the first part' };
  if (which === 'last') return { bytes: fromFirstWholeLine(bytes), note: 'only the last part' };
  return { bytes };
}
