import { expect, it } from 'vitest';
import { atTime } from './ext4-place.ts';
import { timesScript, usedInodes } from './make-ext4.ts';

it('timesScript sets the times of the root inode and all inodes from the first one on', () => {
  const facts = 'Inode count:              1000\nFree blocks:              7\nFree inodes:              987\n';
  expect(usedInodes(facts)).toBe(13);
  expect(timesScript(13, 99)).toBe(
    [2, 11, 12, 13].map((inode) => `sif <${inode}> atime @99\nsif <${inode}> ctime @99\n`).join(''),
  );
});

it('usedInodes throws if the count is missing', () => {
  expect(() => usedInodes('Inode count: 12\n')).toThrow('does not report');
});

it('atTime fixes time, time zone and sort order for a tool', () => {
  expect(atTime(7, ['debugfs', 'x']).join(' ')).toBe(
    'env E2FSPROGS_FAKE_TIME=7 E2FSCK_TIME=7 LC_ALL=C TZ=UTC debugfs x',
  );
});
