import { createTar } from 'nanotar';
import { describe, expect, it } from 'vitest';
import { isTar, sliceOf, type TarMember, tarMembers } from './tar-members.ts';

const tar = Buffer.from(
  createTar([
    { name: './a.txt', data: 'inside a' },
    { name: 'sub/', attrs: {} },
    { name: 'sub/b.txt', data: 'b'.repeat(2_000) },
    { name: 'empty', data: '' },
  ]),
);

function membersOf(bytes: Uint8Array, piece = 100_000, keep = 1_000_000): { members: TarMember[]; cut: string[] } {
  const cut: string[] = [];
  const chunks = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) =>
    bytes.subarray(i * piece, (i + 1) * piece),
  );
  const members = [...tarMembers(chunks, { keepBytes: () => keep, onCut: (name) => cut.push(name) })];
  return { members, cut };
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** One header block, as tar programs write it. */
function header(name: string, size: number, type = '0', prefix = ''): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const padded = (content: string) => Buffer.concat([Buffer.from(content)], Math.ceil(content.length / 512) * 512);
const END = Buffer.alloc(1024);

describe('tarMembers', () => {
  it.each([1, 7, 512, 100_000])('finds the files in pieces of %i bytes', (piece) => {
    const { members, cut } = membersOf(tar, piece);
    expect(members.map(({ name, size }) => [name, size])).toEqual([
      ['a.txt', 8],
      ['sub/b.txt', 2_000],
      ['empty', 0],
    ]);
    expect(text(members[0]!.start)).toBe('inside a');
    expect(cut).toEqual([]);
  });

  it('keeps only the start of a large file, and finds the rest in a second pass', () => {
    const { members } = membersOf(tar, 100_000, 10);
    const [, large] = members;
    expect(text(large!.start)).toBe('b'.repeat(10));
    expect(
      text(Buffer.concat([...sliceOf([tar.subarray(0, 700), tar.subarray(700)], large!.offset, large!.size)])),
    ).toBe('b'.repeat(2_000));
  });

  it('reads long names in all three notations', () => {
    const long = `${'d'.repeat(90)}/${'e'.repeat(90)}/file`;
    const pax = `${long.length + 10} path=${long}\n`;
    const archive = Buffer.concat([
      header('file', 1, '0', `${'d'.repeat(90)}`),
      padded('1'),
      header('././@LongLink', long.length + 1, 'L'),
      padded(`${long}\0`),
      header(long.slice(0, 100), 1),
      padded('2'),
      header('x', pax.length, 'x'),
      padded(pax),
      header('short', 1),
      padded('3'),
      END,
    ]);
    expect(membersOf(archive).members.map(({ name }) => name)).toEqual([`${'d'.repeat(90)}/file`, long, long]);
  });

  it('names the file inside which the archive is cut', () => {
    const { members, cut } = membersOf(tar.subarray(0, 512 + 512 + 512 + 512 + 3));
    expect(cut).toEqual(['sub/b.txt']);
    expect(members.at(-1)).toMatchObject({ name: 'sub/b.txt', start: Buffer.from('bbb') });
  });

  it('ends at a block that is no header, and ignores links and devices', () => {
    const archive = Buffer.concat([header('link', 700, '2'), header('a', 1), padded('1'), Buffer.alloc(512, 65)]);
    expect(membersOf(archive).members.map(({ name }) => name)).toEqual(['a']);
  });

  it('is not confused by a size larger than any file', () => {
    const block = header('huge', 0);
    block.fill(0xff, 124, 136);
    const sum = block.fill(' ', 148, 156).reduce((all, byte) => all + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect(membersOf(Buffer.concat([block, END]), 100_000, 10).cut).toEqual(['huge']);
  });
});

describe('isTar', () => {
  it('needs a whole header', () => {
    expect([isTar(tar), isTar(tar.subarray(0, 300)), isTar(Buffer.alloc(512))]).toEqual([true, false, false]);
  });
});
