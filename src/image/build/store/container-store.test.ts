import { expect, test } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { makeContainerStore } from './container-store.ts';

const run: RunCommand = () => {
  throw new Error('nothing is run for names that cannot be used');
};
const deps = { run, isRoot: true, folder: '/nowhere', epochSec: 0 };
const programs = { containerd: 'containerd', ctr: 'ctr' };
const image = (name: string) => ({ archive: '/a.tar', name, pin: false });

test.each([
  ...['pause:3.10', 'library/pause:3.10', 'registry.k8s.io/pause', 'registry.k8s.io/pause:'],
  ...['--all', 'a.example/b:1\nc.example/d:1', 'a.example/../b:1', 'a.example/b c:1', 'a.example/B:1', 'sha256:abc'],
])('%j is not a full image name', async (name) => {
  await expect(makeContainerStore([image(name)], programs, deps)).rejects.toMatchObject({
    code: 'image/bad-image-name',
    message: `${JSON.stringify(name)} is not a full image name`,
  });
});

test('makeContainerStore refuses one name for two images', async () => {
  const name = 'localhost:5000/a/b_c:1';
  await expect(makeContainerStore([image(name), image(name)], programs, deps)).rejects.toMatchObject({
    code: 'image/bad-image-name',
    message: '"localhost:5000/a/b_c:1" is listed twice',
  });
});
