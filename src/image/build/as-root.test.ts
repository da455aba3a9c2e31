import { expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { imageRootRunner } from './as-root.ts';

const refusing: RunCommand = async () => ({
  outcome: 'exited',
  code: 1,
  stdout: Buffer.alloc(0),
  stderr: 'unshare: write failed /proc/self/uid_map: Operation not permitted\n',
});

it('imageRootRunner explains missing subordinate ids, with the options of image build', async () => {
  const refused = imageRootRunner(refusing, false);
  await expect(refused).rejects.toMatchObject({
    code: 'image/needs-root',
    message: expect.stringContaining('uid_map: Operation not permitted'),
    kept: expect.stringContaining('No image was built'),
    next: expect.stringMatching(/--add-subuids .*--cache and --out/),
  });
  await expect(refused).rejects.not.toMatchObject({ next: expect.stringContaining('--home') });
});
