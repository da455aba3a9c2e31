// e2e/labs/zip-entry.ts: one file out of a zip archive.
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const STORED = 0;

/** Small archives of the ordinary kind: no encryption, nothing over 4 GiB. */
export function zipEntry(archive: Buffer, isWanted: (name: string) => boolean): Buffer {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new Error('not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (isWanted(name)) {
      const header = archive.readUInt32LE(at + 42);
      // The lengths of the local header's name and extra field may differ from the directory's.
      const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
      const bytes = archive.subarray(start, start + archive.readUInt32LE(at + 20));
      return archive.readUInt16LE(at + 10) === STORED ? bytes : inflateRawSync(bytes);
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error('no such file in the archive');
}
