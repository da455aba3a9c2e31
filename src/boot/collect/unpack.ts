// boot/collect/unpack.ts: decompresses rotated logs, because secrets cannot be found in compressed data.
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { BundleMember, MissedItem } from './collect-result.ts';

const MAX_UNPACKED_BYTES = 256 << 20;

export function unpackMembers(members: readonly BundleMember[]): { members: BundleMember[]; missed: MissedItem[] } {
  const unpacked: { members: BundleMember[]; missed: MissedItem[] } = { members: [], missed: [] };
  for (const member of members) {
    const why = unpackInto(unpacked.members, member);
    if (why !== undefined) unpacked.missed.push({ name: member.name, why });
  }
  return unpacked;
}

/** Returns the reason if the member cannot be unpacked. */
function unpackInto(members: BundleMember[], member: BundleMember): string | undefined {
  const inflate = { gzip: gunzipSync, zstd: zstdDecompressSync };
  const format = compressionOf(member.bytes);
  if (format === undefined) {
    members.push(member);
    return undefined;
  }
  if (format === 'xz' || format === 'bzip2')
    return `compressed with ${format}, which headstart cannot search for secrets`;
  try {
    const bytes = inflate[format](member.bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
    members.push({ ...member, name: member.name.replace(/\.(?:gz|zst)$/, ''), bytes });
    return undefined;
  } catch {
    return `its ${format} data is damaged or too large`;
  }
}

function compressionOf(bytes: Uint8Array): 'gzip' | 'zstd' | 'xz' | 'bzip2' | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (start.startsWith('1f8b')) return 'gzip';
  if (start === '28b52ffd') return 'zstd';
  if (start === 'fd377a58') return 'xz';
  return start.startsWith('425a68') ? 'bzip2' : undefined;
}
