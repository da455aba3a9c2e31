import { expect, it } from 'vitest';
import { renderSums, sha256Of } from './sums.ts';

it('checksums are listed by name, as sha256sum reads them', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(sha256Of(Buffer.alloc(0))).toBe(empty);
  expect(
    renderSums(
      new Map([
        ['b', 'two'],
        ['a', empty],
      ]),
    ),
  ).toBe(`${empty}  a\ntwo  b\n`);
});
