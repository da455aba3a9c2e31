import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../base/command.ts';
import { command, isDoneBy, placeOf } from './step-command.ts';

const answering = (over: Partial<CommandResult>) => ({
  run: async () => ({ outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...over }) as CommandResult,
});

describe('a command of a step', () => {
  it('is done when it exits with 0, and only then', async () => {
    await command(['nft'], answering({}));
    await expect(command(['nft', '-f'], answering({ code: 2, stderr: 'no' }))).rejects.toMatchObject({
      code: 'apply/command-failed',
      message: 'nft -f: exit code 2: no',
    });
    await expect(
      command(['nft'], answering({ outcome: 'timed-out', code: null } as Partial<CommandResult>)),
    ).rejects.toThrow();
  });

  it('fails with the reason that its caller gives', async () => {
    const failing = command(['a'], answering({ code: 1 }), { code: 'verify/unit-failed' });
    await expect(failing).rejects.toMatchObject({ name: 'StepFailed', code: 'verify/unit-failed' });
  });
});

describe('a place', () => {
  it('is below the folder that stands in for a node', () => {
    expect([placeOf('/etc/a', { root: '/' }), placeOf('/etc/a', { root: '/tmp/node' })]).toEqual([
      '/etc/a',
      '/tmp/node/etc/a',
    ]);
  });
});

describe('what is asked for again later', () => {
  it('says whether it was done, whatever was wrong', async () => {
    expect(await isDoneBy(async () => {})).toBe(true);
    expect(await isDoneBy(() => Promise.reject(new Error('no')))).toBe(false);
  });
});
