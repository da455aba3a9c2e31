import { expect, it } from 'vitest';
import { arOf } from './ar.ts';

it('a member has a header of 60 bytes and starts at an even offset', () => {
  const archive = arOf(
    [
      { name: 'a', bytes: Buffer.from('odd') },
      { name: 'b.tar', bytes: Buffer.from('even') },
    ],
    7,
  ).toString();
  const header = (name: string, size: number) =>
    `${name.padEnd(16)}7           0     0     100644  ${`${size}`.padEnd(10)}\`\n`;
  expect(header('a', 3)).toHaveLength(60);
  expect(archive).toBe(`!<arch>\n${header('a', 3)}odd\n${header('b.tar', 4)}even`);
});

it('a name that its header cannot hold is refused', () => {
  for (const name of ['', 'longer-than-sixteen', 'a/b', 'a b']) {
    expect(() => arOf([{ name, bytes: Buffer.alloc(0) }], 0)).toThrow(/not a name/);
  }
});
