import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../base/command.ts';
import { command, hasSucceeded, pathBelowRoot } from './step-command.ts';

const answering = (over: Partial<CommandResult>) => ({
  run: async () => ({ outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...over }) as CommandResult,
});

describe('command', () => {
  it('succeeds only with exit code 0', async () => {
    await command(['nft'], answering({}));
    await expect(command(['nft', '-f'], answering({ code: 2, stderr: 'no' }))).rejects.toMatchObject({
      code: 'apply/command-failed',
      message: 'nft -f: exit code 2: no',
    });
    await expect(
      command(['nft'], answering({ outcome: 'timed-out', code: null } as Partial<CommandResult>)),
    ).rejects.toThrow();
  });

  it('fails with the given code', async () => {
    const failing = command(['a'], answering({ code: 1 }), { code: 'verify/unit-failed' });
    await expect(failing).rejects.toMatchObject({ name: 'StepFailed', code: 'verify/unit-failed' });
  });
});

describe('pathBelowRoot', () => {
  it('prefixes the path with the root', () => {
    expect([pathBelowRoot('/etc/a', { root: '/' }), pathBelowRoot('/etc/a', { root: '/tmp/node' })]).toEqual([
      '/etc/a',
      '/tmp/node/etc/a',
    ]);
  });
});

describe('hasSucceeded', () => {
  it('returns whether the call succeeded, for any error', async () => {
    expect(await hasSucceeded(async () => {})).toBe(true);
    expect(await hasSucceeded(() => Promise.reject(new Error('no')))).toBe(false);
  });
});
