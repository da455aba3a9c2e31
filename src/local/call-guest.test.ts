import { describe, expect, it } from 'vitest';
import { TransientError } from '../base/errors.ts';
import type { Instance } from '../vms/pools.ts';
import { callGuest, requireRunning } from './call-guest.ts';

const instance = (power: Instance['power']) => ({ computerName: 'p-1', power }) as Instance;

describe('an instance', () => {
  it('that is running is returned', () => {
    const running = instance('running');
    expect(requireRunning(running)).toBe(running);
  });

  it.each([
    ['stopped', 'headstart pool start p-1'],
    ['deallocated', 'headstart pool start p-1'],
    ['starting', 'headstart pool logs p-1; if it is hung, `headstart pool stop p-1` and start it again'],
  ] as const)('that is %s is refused, and the next step is %s', (power, next) => {
    expect(() => requireRunning(instance(power))).toThrow(
      expect.objectContaining({ code: 'pool/not-running', message: expect.stringContaining(`p-1 is ${power}`), next }),
    );
  });
});

describe('a guest', () => {
  it('that answers has its answer returned', async () => {
    expect(await callGuest(instance('running'), async () => 7)).toBe(7);
  });

  it('that does not answer is an error with the command that shows its console', async () => {
    const cause = new TransientError('agent.sock', { code: 'vms/not-answering' });
    await expect(callGuest(instance('running'), () => Promise.reject(cause))).rejects.toMatchObject({
      code: 'pool/not-answering',
      next: expect.stringContaining('headstart pool logs p-1'),
      cause,
    });
  });

  it('that fails in another way keeps its error', async () => {
    for (const error of [new TransientError('busy', { code: 'vms/busy' }), new Error('bug')])
      await expect(callGuest(instance('running'), () => Promise.reject(error))).rejects.toBe(error);
  });
});
