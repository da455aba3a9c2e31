import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrames } from './frames.ts';

describe('parseFrames', () => {
  const stream = Buffer.from(
    'headstart-collect 1\nitem 3 whole a b\nx\ny\nmiss c\tno such file\nitem 4 last d\nab\nc\nend\n',
  );

  it('reads members, missed items and the end', () => {
    expect(parseFrames(stream)).toEqual({
      members: [
        { name: 'a b', bytes: Buffer.from('x\ny') },
        { name: 'd', bytes: Buffer.from('c'), note: 'only the last part' },
      ],
      missed: [{ name: 'c', why: 'no such file' }],
      isComplete: true,
    });
  });

  it('gives the complete members of a stream truncated anywhere, and marks it as incomplete', () => {
    for (let length = 0; length < stream.length; length++) {
      const { members, isComplete } = parseFrames(stream.subarray(0, length));
      expect(isComplete).toBe(false);
      expect(members.every(({ name }, i) => name === ['a b', 'd'][i])).toBe(true);
    }
  });

  it('never throws, and rejects names that would escape the archive', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, name) => {
        parseFrames(Buffer.concat([Buffer.from('headstart-collect 1\n'), bytes]));
        const { members } = parseFrames(Buffer.from(`headstart-collect 1\nitem 0 whole ${name}\n\n`));
        expect(members.every((m) => !m.name.startsWith('/') && !m.name.split('/').includes('..'))).toBe(true);
      }),
    );
    const outward = parseFrames(Buffer.from('headstart-collect 1\nitem 1 whole ../../etc/passwd\nx\nend\n'));
    expect(outward.members).toEqual([]);
    expect(outward.missed[0]?.why).toBe('invalid file name');
  });

  it('keeps the complete lines of a truncated file, with a note', () => {
    const stream = Buffer.from('hello\nheadstart-collect 1\nitem 5 first a\nx\nhal\nitem 5 last b\nlf\ny\n\nend\n');
    expect(parseFrames(stream).members.map(({ name, bytes, note }) => [name, String(bytes), note])).toEqual([
      ['a', 'x\n', 'only the first part'],
      ['b', 'y\n', 'only the last part'],
    ]);
  });

  it('gives nothing for a foreign stream or an endless header line', () => {
    expect(parseFrames(Buffer.from('bash: sh: not found\n'))).toEqual({ members: [], missed: [], isComplete: false });
    const endless = Buffer.from(`headstart-collect 1\nitem 1 whole ${'a'.repeat(9000)}\nx\nend\n`);
    expect(parseFrames(endless)).toEqual({ members: [], missed: [], isComplete: false });
  });
});
