import { expect, it } from 'vitest';
import { onPlace } from './ext4-place.ts';

it('tells a tool where a file system is without letting the name of a folder say anything', () => {
  const argv = onPlace({ file: '/images/what?offset=1/disk.raw', startBytes: 4096 }, 7, ['e2fsck', '-f', '-p']);
  expect(argv.slice(0, 2)).toEqual(['env', '--chdir=/images/what?offset=1']);
  expect(argv.slice(-4)).toEqual(['e2fsck', '-f', '-p', './disk.raw?offset=4096']);
});
