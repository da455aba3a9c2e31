import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../base/fake-clock.ts';
import { readJoinLog } from '../cluster/join-log.ts';
import type { JoinEvent, JoinEventName } from '../cluster/kubernetes/join-events.ts';
import { poolRef } from '../vms/qemu/home/layout.ts';
import type { Joining } from '../vms/qemu/pools/admission.ts';
import { awaitNodeReady } from './await-ready.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-ready-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NODE = 'web-000001';
const event = (name: JoinEventName, atMs = 1000): JoinEvent => ({ event: name, name: NODE, atMs });

/** There is no such kubeconfig: what the cluster would tell is not known. */
const access = () => ({ kubeconfig: join(folder, 'none'), clock: fakeClock() });

function joining(changes: Partial<Joining> = {}): Joining {
  return {
    ref: { pool: poolRef('web'), id: NODE },
    startedMs: 0,
    eventsFile: join(folder, 'events.jsonl'),
    isRunning: async () => true,
    runInGuest: () => Promise.reject(new Error('silent')),
    ...changes,
  };
}

describe('a node that comes up', () => {
  it('is awaited until pods may come, and what was seen on the way is kept', async () => {
    const names = ['csr-created', 'csr-issued', 'node-registered', 'node-ready', 'node-schedulable'] as const;
    const told: string[] = [];
    await awaitNodeReady(
      access(),
      joining(),
      { deadlineMs: 60_000, onWaiting: (what) => told.push(what) },
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
    expect(told[0]).toBe(`node ${NODE} to be given a certificate`);
  });

  it('that does not come in time is told of with the reason: here its VM ended', async () => {
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

  it('is not waited for to the end when its VM has ended', async () => {
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

  it('is there when it is Ready, though a taint stays that somebody else has to take away', async () => {
    const world = access();
    await awaitNodeReady(world, joining(), { deadlineMs: 900_000 }, async ({ signal, clock }, onEvent) => {
      onEvent(event('node-ready', clock.nowMs()));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    expect(world.clock.sleptMs).toBeLessThan(60_000);
  });

  it.each([
    ['after it had registered is given up, as its kubelet makes no other', ['node-registered', 'node-deleted'], 120],
    ['after it had come back is given up as well', ['node-returned', 'node-deleted'], 120],
    ['before its kubelet came is waited for, as that makes another', ['node-deleted'], 900],
    ['and made again is waited for', ['node-registered', 'node-deleted', 'node-registered'], 900],
  ] as const)('that was deleted %s', async (_, names, seconds) => {
    const waiting = awaitNodeReady(access(), joining(), { deadlineMs: 900_000 }, async ({ signal, clock }, onEvent) => {
      for (const name of names) onEvent(event(name, clock.nowMs()));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await expect(waiting).rejects.toThrow(`${NODE} is not Ready after ${seconds} s: `);
  });

  it('is not waited for any longer when somebody says so, and the watch ends with it', async () => {
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

  it('fails at once with what the watch fails with', async () => {
    const broken = () => Promise.reject(new Error('no right to watch nodes'));
    await expect(awaitNodeReady(access(), joining(), { deadlineMs: 60_000 }, broken)).rejects.toThrow('no right');
    // Also while QEMU is asked, which takes more than a moment.
    const isRunning = () => new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(true))));
    const asking = awaitNodeReady(access(), joining({ isRunning }), { deadlineMs: 60_000 }, broken);
    await expect(asking).rejects.toThrow('no right');
  });
});
