import { describe, expect, it } from 'vitest';
import type { Ran } from '../../../base/command.ts';
import { command, hasSucceeded, pathBelowRoot } from './step-command.ts';

const answering = (over: Partial<Ran>) => ({
  run: async () => ({ outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...over }) as Ran,
});

describe('a command of a step', () => {
  it('is done when it exits with 0, and only then', async () => {
    await command(['nft'], answering({}));
    await expect(command(['nft', '-f'], answering({ code: 2, stderr: 'no' }))).rejects.toMatchObject({
      code: 'apply/command-failed',
      message: 'nft -f: exit code 2: no',
    });
    await expect(command(['nft'], answering({ outcome: 'timed-out', code: null } as Partial<Ran>))).rejects.toThrow();
  });

  it('fails with the reason that its caller gives', async () => {
    const failing = command(['a'], answering({ code: 1 }), { code: 'verify/unit-failed' });
    await expect(failing).rejects.toMatchObject({ name: 'StepFailed', code: 'verify/unit-failed' });
  });
});

describe('a place', () => {
  it('is below the folder that stands in for a node', () => {
    expect([pathBelowRoot('/etc/a', { root: '/' }), pathBelowRoot('/etc/a', { root: '/tmp/node' })]).toEqual([
      '/etc/a',
      '/tmp/node/etc/a',
    ]);
  });
});

describe('what is asked for again later', () => {
  it('says whether it was done, whatever was wrong', async () => {
    expect(await hasSucceeded(async () => {})).toBe(true);
    expect(await hasSucceeded(() => Promise.reject(new Error('no')))).toBe(false);
  });
});
