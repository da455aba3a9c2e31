import { describe, expect, it } from 'vitest';
import { InputLimits } from './input-limits.ts';
import { Spool, spooled } from './spool.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunks: Iterable<Uint8Array>) => Buffer.concat([...chunks]).toString();

describe('spooled', () => {
  it.each([0, 3, 7, 100])('reads a stream again, with %i bytes in memory and the rest in a file', (memoryBytes) => {
    const chunks = spooled(
      'x',
      [bytes('abc'), bytes('defg'), bytes('h'), bytes('ij')],
      new InputLimits({ memoryBytes }),
    );
    expect([text(chunks()), text(chunks())]).toEqual(['abcdefghij', 'abcdefghij']);
  });

  it('takes no more of the stream than a reader asks for', () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken++;
        yield bytes('abc');
      }
    }
    const chunks = spooled('x', endless(), new InputLimits());
    for (const _ of chunks()) break;
    for (const _ of chunks()) break;
    expect(taken).toBe(1);
  });

  it('lets two readers read at different speeds', () => {
    const chunks = spooled('x', [bytes('ab'), bytes('cd'), bytes('ef')], new InputLimits({ memoryBytes: 2 }));
    const slow = chunks()[Symbol.iterator]();
    slow.next();
    expect(text(chunks())).toBe('abcdef');
    expect(Buffer.from(slow.next().value!).toString()).toMatch(/^cd/);
  });

  it('explains a temporary folder without space', () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = '/nowhere';
    try {
      const spool = new Spool('standard input', new InputLimits({ memoryBytes: 0 }));
      expect(() => spool.add(bytes('a'))).toThrow(/cannot keep standard input in a temporary file: ENOENT/);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe('InputLimits', () => {
  it('stops when all inputs together unpack to too much', () => {
    const limits = new InputLimits({ unpackedBytes: 10 });
    limits.countUnpacked('a', 6);
    expect(() => limits.countUnpacked('b', 6)).toThrow(/cannot unpack b: the inputs of this command unpack to more/);
  });
});
