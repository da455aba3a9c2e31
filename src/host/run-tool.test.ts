import { describe, expect, it } from 'vitest';
import { runCommand } from '../base/command.ts';
import type { ToolArgv } from './required-tools.ts';
import { runTool } from './run-tool.ts';

describe('runTool', () => {
  it('returns what the program printed', async () => {
    expect(await runTool(runCommand, ['env', 'printf', '%s', 'a "b" $c'])).toBe('a "b" $c');
  });

  it('reports which program failed, with its error output', async () => {
    const running = runTool(runCommand, ['sh', '-c', 'echo no space left >&2; exit 3']);
    await expect(running).rejects.toMatchObject({
      code: 'vms/tool-failed',
      message: 'sh failed with 3: no space left',
    });
  });

  it('reports a missing program', async () => {
    await expect(runTool(runCommand, ['env', 'no-such-program-anywhere'])).rejects.toMatchObject({
      code: 'vms/missing-program',
      next: 'install the package that has no-such-program-anywhere, then run the same command again',
    });
  });

  it.each([
    [['debugfs', '-w', 'x'], 'debugfs', 'e2fsprogs'],
    [['env', '--chdir=/x', 'env', 'TZ=UTC', 'tune2fs', '-U', 'y'], 'tune2fs', 'e2fsprogs'],
    [['dpkg-deb', '--field', 'x'], 'dpkg-deb', 'dpkg'],
    [['ssh-keygen'], 'ssh-keygen', 'openssh-client'],
  ] as const)('names the package of the program in %j when it is missing', async (argv, program, from) => {
    const missing = async () => ({ outcome: 'exited' as const, code: 127, stdout: Buffer.alloc(0), stderr: '' });
    await expect(runTool(missing, argv as unknown as ToolArgv)).rejects.toMatchObject({
      message: `the program ${program} is missing`,
      next: expect.stringContaining(`sudo apt-get install ${from})`),
    });
  });

  it('does not start when aborted, and throws the abort reason', async () => {
    const stop = new AbortController();
    const running = runTool(runCommand, ['env', 'sleep', '60'], stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(runTool(runCommand, ['true'], stop.signal)).rejects.toThrow('enough');
  });
});
