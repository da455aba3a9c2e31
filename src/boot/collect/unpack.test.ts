import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { unpackMembers } from './unpack.ts';

const unpack = (name: string, bytes: Uint8Array) => {
  const { members, missed } = unpackMembers([{ name, bytes, note: 'a note' }]);
  return [...members.map((member) => [member.name, Buffer.from(member.bytes).toString()]), ...missed];
};

it.each([
  ['log.2.gz', gzipSync('older\n'), ['log.2', 'older\n']],
  ['log.3.zst', zstdCompressSync('older\n'), ['log.3', 'older\n']],
  ['log', gzipSync('older\n'), ['log', 'older\n']],
  ['log.gz', Buffer.from('not packed\n'), ['log.gz', 'not packed\n']],
  ['empty', Buffer.alloc(0), ['empty', '']],
])('unpackMembers unpacks %s by content', (name, bytes, expected) => {
  expect(unpack(name, bytes)).toEqual([expected]);
});

it.each([
  ['log.gz', Buffer.from('1f8b0800', 'hex'), 'its gzip data is damaged or too large'],
  ['log.zst', Buffer.from('28b52ffd00', 'hex'), 'its zstd data is damaged or too large'],
  ['log.xz', Buffer.from('fd377a585a00', 'hex'), 'compressed with xz, which headstart cannot search for secrets'],
  ['log.bz2', Buffer.from('BZh9'), 'compressed with bzip2, which headstart cannot search for secrets'],
])('unpackMembers drops %s, which could hide a secret', (name, bytes, why) => {
  expect(unpack(name, bytes)).toEqual([{ name, why }]);
});

it('unpackMembers keeps the note of a member', () => {
  expect(unpackMembers([{ name: 'a.gz', bytes: gzipSync('x'), note: 'only the last part' }]).members[0]?.note).toBe(
    'only the last part',
  );
});
