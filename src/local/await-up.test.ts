import { describe, expect, it } from 'vitest';
import { UserError } from '../base/errors.ts';
import type { Instance } from '../vms/pools.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';
import { awaitAllUp } from './await-up.ts';

const instances = ['p-1', 'p-2', 'p-3'].map(
  (computerName) => ({ computerName, ref: { pool: { id: 'pools/p', name: 'p' }, id: computerName } }) as Instance,
);
const { signal } = new AbortController();

function wait(awaitUp: QemuProvider['guests']['awaitUp']) {
  const messages: string[] = [];
  const ended = awaitAllUp({ awaitUp }, instances, {
    deadlineMs: 1_000,
    signal,
    onWaiting: (what) => messages.push(what),
  });
  return { messages, ended };
}

describe('several instances', () => {
  it('are awaited together, and each reports what it waits for, until the last is up', async () => {
    const { messages, ended } = wait(async ({ id }, { onWaiting }) => {
      onWaiting?.(id === 'p-2' ? 'node p-2 to be Ready' : 'cloud-init to finish');
      for (let turn = 0; turn < Number(id.at(-1)); turn++) await Promise.resolve();
    });
    await ended;
    expect(messages[0]).toBe('p-1 (cloud-init to finish), p-2 to be up, p-3 to be up');
    expect(messages).toContain('p-1 (cloud-init to finish), node p-2 to be Ready, p-3 (cloud-init to finish)');
    expect(messages.at(-1)).toBe('p-3 (cloud-init to finish)');
  });

  it('are named if they boot after they continued', async () => {
    const booted: string[] = [];
    const awaitUp: QemuProvider['guests']['awaitUp'] = async ({ id }, { onBoot }) => {
      if (id === 'p-2') onBoot?.('it was not Ready');
    };
    const onBoot = ({ computerName }: Instance, why: string) => void booted.push(`${computerName}: ${why}`);
    await awaitAllUp({ awaitUp }, instances, { deadlineMs: 1_000, signal, onWaiting: () => undefined, onBoot });
    expect(booted).toEqual(['p-2: it was not Ready']);
  });

  it('fail with the error of the first and the number of the others, after all have ended', async () => {
    let ended = 0;
    const failing = wait(async ({ id }) => {
      await new Promise(setImmediate);
      ended++;
      if (id !== 'p-2')
        throw new UserError(`${id} is not up`, { code: 'vms/not-up', kept: 'k', next: 'n', exitCode: 1 });
    });
    await expect(failing.ended).rejects.toMatchObject({
      message: 'p-1 is not up\n(and 1 more of the 3 did not come up)',
      ...{ code: 'vms/not-up', kept: 'k', next: 'n', exitCode: 1 },
    });
    expect(ended).toBe(3);
  });

  it('fail with the original error when only one failed, or when it is a bug', async () => {
    const one = new UserError('p-3 is not up', { code: 'vms/not-up', exitCode: 1 });
    const only = wait(async ({ id }) => {
      if (id === 'p-3') throw one;
    });
    await expect(only.ended).rejects.toBe(one);
    const bug = new TypeError('undefined is not a function');
    await expect(wait(() => Promise.reject(bug)).ended).rejects.toBe(bug);
  });
});
