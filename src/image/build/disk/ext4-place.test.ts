import { expect, it } from 'vitest';
import { onPlace } from './ext4-place.ts';

it('onPlace passes the offset to a tool, and keeps the folder name out of its options', () => {
  const argv = onPlace({ file: '/images/what?offset=1/disk.raw', startBytes: 4096 }, 7, ['e2fsck', '-f', '-p']);
  expect(argv.slice(0, 2)).toEqual(['env', '--chdir=/images/what?offset=1']);
  expect(argv.slice(-4)).toEqual(['e2fsck', '-f', '-p', './disk.raw?offset=4096']);
});
