import { describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { releaseIn, toolVersions } from './tool-versions.ts';

const answering =
  (stdout: string, stderr = ''): RunCommand =>
  async () => ({ outcome: 'exited', code: 0, stdout: Buffer.from(stdout), stderr });

describe('the version of a tool', () => {
  it.each([
    ['mmdebstrap 1.3.5\n', '1.3.5'],
    ['mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n', '1.47.0'],
    ['qemu-img version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright (c) 2003-2022\n', '7.2.22'],
    ['no number', undefined],
  ])('is the upstream number in %j', (text, release) => {
    expect(releaseIn(text)).toBe(release);
  });

  it('is read from stdout or stderr', async () => {
    expect(await toolVersions(answering('x 1.2'))).toMatchObject({ mke2fs: '1.2', 'qemu-img': '1.2' });
    expect(await toolVersions(answering('', 'x 1.3'))).toMatchObject({ mmdebstrap: '1.3', debugfs: '1.3' });
  });

  it('is an error if the tool prints none', async () => {
    await expect(toolVersions(answering('', 'unshare: refused'))).rejects.toMatchObject({ code: 'image/unknown-tool' });
  });
});
