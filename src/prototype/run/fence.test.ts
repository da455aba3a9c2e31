import { describe, expect, it } from 'vitest';
import type { CallOptions } from '../../base/call-options.ts';
import { TooLate } from '../../base/failures.ts';
import { lab } from '../testing.ts';
import { fencedCluster, fencedProvider } from './fence.ts';

const READS = /^(read|list|find|locate|parse|referenced)/;
/** Best effort, or the hold itself. */
const FREE = new Set(['recordEvent', 'holdLease', 'releaseLease']);

function methods(contract: object): string[] {
  return Object.entries(contract)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
}

type Callable = Record<string, (...args: unknown[]) => Promise<unknown>>;

describe('a fence that is closed', () => {
  const world = lab();
  const closed = { leftMs: () => 0 };

  it('stops every change of a provider before it is sent, and no read', async () => {
    const { pools, snapshots, gallery, publisher } = world.provider;
    const contracts = { pools, snapshots, gallery, publisher };
    const fenced = fencedProvider(contracts, closed);
    let changes = 0;
    for (const [contract, calls] of Object.entries(contracts)) {
      for (const name of methods(calls).filter((method) => !READS.test(method))) {
        changes++;
        const call = (fenced as unknown as Record<string, Callable>)[contract]![name]!;
        await expect(call(world.ref, world.ref), `${contract}.${name}`).rejects.toBeInstanceOf(TooLate);
      }
    }
    expect(changes).toBe(16);
    expect(await fenced.pools.readPool(world.ref.pool)).toBeDefined();
  });

  it('stops every change of the cluster, but neither Events nor the hold', async () => {
    const contract = Object.fromEntries(
      ['changeNode', 'evict', 'deletePod', 'writeSecret', 'deleteSecret', 'runOnNode'].map((name) => [name, () => 0]),
    );
    const fenced = fencedCluster({ ...world.cluster, ...contract } as never, closed) as unknown as Callable;
    for (const name of Object.keys(contract)) await expect(fenced[name]!(), name).rejects.toBeInstanceOf(TooLate);
    for (const name of FREE)
      await expect(fenced[name]!('x', { holder: 'h', durationMs: 1, note: '' })).resolves.not.toThrow();
    expect(await (fenced as unknown as typeof world.cluster).readNode(world.donor.computerName)).toBeDefined();
  });
});

describe('a fence that is open', () => {
  it('reaches the client with every other option, wherever the options are', async () => {
    const world = lab();
    const open = { leftMs: () => 1000 };
    const seen: CallOptions[] = [];
    world.provider.pools.stop = async (_ref, options) => void seen.push(options!);
    world.provider.gallery.setExcludedFromLatest = async (_d, _v, _is, options) => void seen.push(options!);
    const { pools, gallery } = fencedProvider(world.provider, open);
    const { signal } = new AbortController();
    await pools.stop(world.ref, { signal });
    await pools.stop(world.ref);
    await gallery.setExcludedFromLatest({} as never, 'v', true, { signal });
    expect(seen).toEqual([{ signal, fence: open }, { fence: open }, { signal, fence: open }]);
  });
});
