import { describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { runTool } from './tools.ts';

describe('runTool', () => {
  it('gives what the program printed', async () => {
    expect(await runTool(runCommand, ['printf', '%s', 'a "b" $c'])).toBe('a "b" $c');
  });

  it('says what failed, with the words of the program', async () => {
    const running = runTool(runCommand, ['sh', '-c', 'echo no space left >&2; exit 3']);
    await expect(running).rejects.toMatchObject({
      code: 'vms/tool-failed',
      message: 'sh failed with 3: no space left',
    });
  });

  it('says that a program is missing', async () => {
    await expect(runTool(runCommand, ['no-such-program-anywhere'])).rejects.toMatchObject({
      code: 'vms/missing-program',
    });
  });

  it('does not begin when told to stop, and stops with that reason', async () => {
    const stop = new AbortController();
    const running = runTool(runCommand, ['sleep', '60'], stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(runTool(runCommand, ['true'], stop.signal)).rejects.toThrow('enough');
  });
});
