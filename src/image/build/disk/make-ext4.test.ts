import { expect, it } from 'vitest';
import { atTime } from './ext4-place.ts';
import { timesScript, usedInodes } from './make-ext4.ts';

it('sets the times of every inode that is in use: the root, and all from the first on', () => {
  const facts = 'Inode count:              1000\nFree blocks:              7\nFree inodes:              987\n';
  expect(usedInodes(facts)).toBe(13);
  expect(timesScript(13, 99)).toBe(
    [2, 11, 12, 13].map((inode) => `sif <${inode}> atime @99\nsif <${inode}> ctime @99\n`).join(''),
  );
});

it('does not guess how many there are', () => {
  expect(() => usedInodes('Inode count: 12\n')).toThrow('does not say');
});

it('lets a tool see one time, one time zone and one order of names', () => {
  expect(atTime(7, ['debugfs', 'x']).join(' ')).toBe(
    'env E2FSPROGS_FAKE_TIME=7 E2FSCK_TIME=7 LC_ALL=C TZ=UTC debugfs x',
  );
});
