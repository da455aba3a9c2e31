import { expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { imageRootRunner } from './as-root.ts';

const refusing: RunCommand = async () => ({
  outcome: 'exited',
  code: 1,
  stdout: Buffer.alloc(0),
  stderr: 'unshare: write failed /proc/self/uid_map: Operation not permitted\n',
});

it('a user without ids of their own is told so about images, with options that image build has', async () => {
  const refused = imageRootRunner(refusing, false);
  await expect(refused).rejects.toMatchObject({
    code: 'image/needs-root',
    message: expect.stringContaining('uid_map: Operation not permitted'),
    kept: expect.stringContaining('No image was made'),
    next: expect.stringMatching(/--add-subuids .*--cache and --out/),
  });
  await expect(refused).rejects.not.toMatchObject({ next: expect.stringContaining('--home') });
});
