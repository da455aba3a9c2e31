import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../base/fake-clock.ts';
import { readJoinLog } from '../cluster/join-log.ts';
import type { JoinEvent, JoinEventName } from '../cluster/kubernetes/join-events.ts';
import { poolRef } from '../vms/qemu/home/layout.ts';
import type { JoiningInstance } from '../vms/qemu/pools/admission.ts';
import { awaitNodeReady } from './await-ready.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-ready-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NODE = 'web-000001';
const event = (name: JoinEventName, atMs = 1000): JoinEvent => ({ event: name, name: NODE, atMs });

/** The kubeconfig does not exist, so the cluster cannot be read. */
const access = () => ({ kubeconfig: join(folder, 'none'), clock: fakeClock() });

function joining(changes: Partial<JoiningInstance> = {}): JoiningInstance {
  return {
    ref: { pool: poolRef('web'), id: NODE },
    startedMs: 0,
    eventsFile: join(folder, 'events.jsonl'),
    isRunning: async () => true,
    runInGuest: () => Promise.reject(new Error('silent')),
    ...changes,
  };
}

describe('a joining node', () => {
  it('is awaited until it is schedulable, and its events are logged', async () => {
    const names = ['csr-created', 'csr-issued', 'node-registered', 'node-ready', 'node-schedulable'] as const;
    const messages: string[] = [];
    await awaitNodeReady(
      access(),
      joining(),
      { deadlineMs: 60_000, onWaiting: (what) => messages.push(what) },
      async ({ clock }, onEvent) => {
        for (const name of names) {
          onEvent(event(name, clock.nowMs()));
          await new Promise(setImmediate);
        }
      },
    );
    const { eventsFile } = joining();
    expect(readJoinLog(eventsFile).map((seen) => seen.event)).toEqual(names);
    expect(statSync(eventsFile).mode & 0o777).toBe(0o600);
    expect(messages[0]).toBe(`node ${NODE} to get a certificate`);
  });

  it('that is not Ready in time is reported with the reason, here a VM that is off', async () => {
    const waiting = awaitNodeReady(
      access(),
      joining({ isRunning: async () => false }),
      { deadlineMs: 5_000 },
      async ({ signal }, onEvent) => {
        onEvent(event('csr-created'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    );
    await expect(waiting).rejects.toMatchObject({
      code: 'pool/node-not-ready',
      message: `${NODE} is not Ready: the VM of ${NODE} is not running`,
      next: `start it with \`headstart pool start ${NODE}\``,
    });
  });

  it('is not awaited until the deadline when its VM is off', async () => {
    const world = access();
    let looks = 0;
    const waiting = awaitNodeReady(
      world,
      joining({ isRunning: async () => ++looks < 4 }),
      { deadlineMs: 900_000 },
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    await expect(waiting).rejects.toThrow(`the VM of ${NODE} is not running`);
    expect(world.clock.sleptMs).toBeLessThan(10_000);
  });

  it('is done when it is Ready, even if a taint of another controller stays', async () => {
    const world = access();
    await awaitNodeReady(world, joining(), { deadlineMs: 900_000 }, async ({ signal, clock }, onEvent) => {
      onEvent(event('node-ready', clock.nowMs()));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    expect(world.clock.sleptMs).toBeLessThan(60_000);
  });

  it.each([
    [
      'after it registered fails early, because kubelet does not register again',
      ['node-registered', 'node-deleted'],
      120,
    ],
    ['after it returned fails early as well', ['node-returned', 'node-deleted'], 120],
    ['before its kubelet started is awaited, because kubelet will register', ['node-deleted'], 900],
    ['and registered again is awaited', ['node-registered', 'node-deleted', 'node-registered'], 900],
  ] as const)('that was deleted %s', async (_, names, seconds) => {
    const waiting = awaitNodeReady(access(), joining(), { deadlineMs: 900_000 }, async ({ signal, clock }, onEvent) => {
      for (const name of names) onEvent(event(name, clock.nowMs()));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await expect(waiting).rejects.toThrow(`${NODE} is not Ready after ${seconds} s: `);
  });

  it('is not awaited any longer when aborted, and the watch ends', async () => {
    const stop = new AbortController();
    let hasEnded = false;
    const waiting = awaitNodeReady(
      access(),
      joining(),
      { deadlineMs: 60_000, signal: stop.signal, onWaiting: () => stop.abort(new Error('enough')) },
      async ({ signal }) => {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        hasEnded = true;
      },
    );
    await expect(waiting).rejects.toThrow('enough');
    expect(hasEnded).toBe(true);
  });

  it('fails immediately with the error of the watch', async () => {
    const broken = () => Promise.reject(new Error('no right to watch nodes'));
    await expect(awaitNodeReady(access(), joining(), { deadlineMs: 60_000 }, broken)).rejects.toThrow('no right');
    // Also while `isRunning` is pending, which takes a moment.
    const isRunning = () => new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(true))));
    const asking = awaitNodeReady(access(), joining({ isRunning }), { deadlineMs: 60_000 }, broken);
    await expect(asking).rejects.toThrow('no right');
  });
});
