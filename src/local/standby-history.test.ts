import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from '../vms/pools.ts';
import type { StandbyMember } from '../vms/standby.ts';
import { readStandbyHistory } from './standby-history.ts';

const pool = { id: 'pools/p', name: 'p' };
const T = Date.parse('2026-11-16T02:00:00Z');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Files = Record<string, unknown>;

async function read(instances: Record<string, Files>, members: Record<string, Partial<StandbyMember>> = {}) {
  for (const [id, files] of Object.entries(instances)) {
    mkdirSync(join(folder, id));
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, id, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const ids = Object.keys(instances).filter((id) => !(id in members));
  return readStandbyHistory(
    {
      pools: { listInstances: async () => ids.map((id) => ({ ref: { pool, id } }) as Instance) },
      guests: {
        readDetails: async ({ id }: { id: string }) => ({
          folder: join(folder, id),
          consoleLog: '',
          disk: '',
          address: '',
        }),
      },
      standby: {
        readStandby: async () => ({
          policy: { counts: { paused: 0, frozen: 1, stopped: 0 } },
          members: Object.entries(members).map(
            ([id, member]) =>
              ({ instance: { pool, id }, tier: 'frozen', state: 'ready', why: '', ...member }) as StandbyMember,
          ),
        }),
      },
    } as unknown as Parameters<typeof readStandbyHistory>[0],
    pool,
  );
}

const ready = (...atMs: number[]) =>
  ['{"kind":"ClusterEvents"}', ...atMs.map((ms) => JSON.stringify({ atMs: ms, event: 'node-ready' })), '{"torn'].join(
    '\n',
  );

describe('readStandbyHistory', () => {
  it('takes a new instance as asked for when it was created', async () => {
    const record = { createdMs: T, startedMs: T + 500 };
    const history = await read({
      a: { 'instance.json': record, 'cluster-events.jsonl': ready(T + 22_000, T + 90_000) },
    });
    expect(history).toMatchObject({ arrivalsMs: [T], readyMs: { cold: [22_000] }, counts: { frozen: 1 } });
  });

  it('takes a claimed instance as asked for when it was claimed', async () => {
    const claim = { kind: 'Claim', tier: 'frozen', steps: [{ name: 'claimed', at: new Date(T).toISOString() }] };
    const files = { 'claim.json': claim, 'instance.json': { createdMs: T - 9e6, startedMs: T - 50 } };
    const history = await read({ a: { ...files, 'cluster-events.jsonl': ready(T - 8e6, T + 1200) } });
    expect(history).toMatchObject({ arrivalsMs: [T], readyMs: { frozen: [1200], cold: [] } });
  });

  it('measures the boot of a stopped instance from its claim', async () => {
    const claim = { kind: 'Claim', tier: 'stopped', steps: [{ name: 'claimed', at: new Date(T).toISOString() }] };
    const record = { createdMs: T - 9e6, startedMs: T + 300 };
    const files = { 'claim.json': claim, 'instance.json': record };
    const history = await read({ a: { ...files, 'cluster-events.jsonl': ready(T - 8e6, T + 15_000) } });
    expect(history).toMatchObject({ arrivalsMs: [T], readyMs: { stopped: [15_000], cold: [] } });
  });

  it('takes one that booted although it was frozen as asked for at its claim, and measures no tier', async () => {
    const claim = { kind: 'Claim', tier: 'cold', steps: [{ name: 'claimed', at: new Date(T).toISOString() }] };
    const files = { 'claim.json': claim, 'instance.json': { createdMs: T - 9e6, startedMs: T + 300 } };
    const { arrivalsMs, readyMs } = await read({ a: { ...files, 'cluster-events.jsonl': ready(T + 20_000) } });
    expect(arrivalsMs).toEqual([T]);
    expect(Object.values(readyMs).flat()).toEqual([]);
  });

  it('measures no boot of an instance that was restarted, or whose node was never seen Ready', async () => {
    const restarted = {
      'instance.json': { createdMs: T, startedMs: T + 9e6 },
      'cluster-events.jsonl': ready(T + 9.1e6),
    };
    const history = await read({ a: restarted, b: { 'instance.json': { createdMs: T, startedMs: T } } });
    expect(history).toMatchObject({ arrivalsMs: [T, T], readyMs: { cold: [] } });
  });

  it('measures no claim of an instance that was restarted since', async () => {
    const claim = { kind: 'Claim', tier: 'frozen', steps: [{ name: 'claimed', at: new Date(T).toISOString() }] };
    const files = { 'claim.json': claim, 'instance.json': { createdMs: T - 9e6, startedMs: T + 2.6e8 } };
    const history = await read({ a: { ...files, 'cluster-events.jsonl': ready(T + 2.61e8) } });
    expect(history).toMatchObject({ arrivalsMs: [T], readyMs: { frozen: [], cold: [] } });
  });

  it('skips an instance whose record cannot be read', async () => {
    expect((await read({ a: { 'instance.json': '{' } })).arrivalsMs).toEqual([]);
  });

  it.each(['', '{"kind":"Cl', '{"kind":"Claim","steps":{}}', '{"kind":"Claim","steps":[null]}'])(
    'skips an instance whose claim is %j: it was created to be parked, not when it was asked for',
    async (claim) => {
      const claimed = { 'claim.json': claim, 'instance.json': { createdMs: T - 9e6, startedMs: T - 50 } };
      const events = { 'cluster-events.jsonl': ready(T - 8e6, T + 1200) };
      const history = await read({ a: { ...claimed, ...events }, b: { 'instance.json': { createdMs: T } } });
      expect(history).toMatchObject({ arrivalsMs: [T], readyMs: { frozen: [], cold: [] } });
    },
  );

  it('measures a refill by the nodes that are parked, and what they take', async () => {
    const members = { s: { parkedMs: T + 45_000, diskBytes: 5, memoryBytes: 0 }, t: {} };
    const history = await read({ s: { 'instance.json': { createdMs: T } }, t: {} }, members);
    expect(history.refillMs.frozen).toEqual([45_000]);
    expect(history.sizes).toEqual([{ tier: 'frozen', memoryBytes: 0, diskBytes: 5 }]);
    expect(history.arrivalsMs).toEqual([]);
  });
});
