import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../base/fake-clock.ts';
import { JOIN_EVENTS } from '../cluster/kubernetes/join-events.ts';
import { poolRef } from '../vms/qemu/home/layout.ts';
import type { JoiningInstance } from '../vms/qemu/pools/admission.ts';
import { inspectJoining, requestsIn } from './inspect-joining.ts';

/** The kubeconfig does not exist, so the cluster does not answer. */
const access = { kubeconfig: '/nowhere/kubeconfig', clock: fakeClock() };

function joining(changes: Partial<JoiningInstance>): JoiningInstance {
  return {
    ref: { pool: poolRef('web'), id: 'web-000001' },
    startedMs: 0,
    eventsFile: '/nowhere/events.jsonl',
    isRunning: async () => true,
    runInGuest: () => Promise.reject(new Error('silent')),
    ...changes,
  };
}

const answering =
  (show: string, journal: string): JoiningInstance['runInGuest'] =>
  async ([program]) => ({
    exitCode: 0,
    stdout: Buffer.from(program === 'systemctl' ? show : journal),
    stderr: Buffer.alloc(0),
  });

describe('the state of a joining node', () => {
  it('has the state of its kubelet and its log lines', async () => {
    const runInGuest = answering('LoadState=loaded\nActiveState=activating\nExecMainStatus=1\n', 'one\n\ntwo\n');
    expect(await inspectJoining(access, joining({ runInGuest }), [])).toEqual({
      node: 'web-000001',
      isVmRunning: true,
      guest: { loadState: 'loaded', activeState: 'activating', exitStatus: 1, lines: ['one', 'two'] },
    });
  });

  it('has no exit status when systemd reports none', async () => {
    const { guest } = await inspectJoining(access, joining({ runInGuest: answering('LoadState=not-found\n', '') }), []);
    expect(guest).toEqual({ loadState: 'not-found', activeState: '', lines: [] });
  });

  it('omits a guest and a cluster that do not answer', async () => {
    expect(await inspectJoining(access, joining({}), [])).toEqual({ node: 'web-000001', isVmRunning: true });
  });

  it('does not read the guest of a VM that is off', async () => {
    const runInGuest = () => expect.fail('called');
    const seen = await inspectJoining(access, joining({ isRunning: async () => false, runInGuest }), []);
    expect(seen).toEqual({ node: 'web-000001', isVmRunning: false });
  });
});

it('requestsIn lists each request once, with its last state', () => {
  const anyEvent = fc.record({
    event: fc.constantFrom(...JOIN_EVENTS),
    name: fc.constantFrom('a', 'b', 'c'),
    atMs: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      const requests = requestsIn(events);
      const requestEvents = events.filter(({ event: name }) => name.startsWith('csr-'));
      expect(requests.map(({ name }) => name)).toEqual([...new Set(requestEvents.map(({ name }) => name))]);
      for (const { name, state } of requests) {
        const last = requestEvents.findLast((one) => one.name === name)?.event;
        expect(last).toBe(state === 'pending' ? 'csr-created' : `csr-${state}`);
      }
    }),
  );
});
