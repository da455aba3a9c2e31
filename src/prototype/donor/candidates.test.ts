import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Node } from '../../cluster/cluster.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { lab } from '../testing.ts';
import { rankCandidates } from './candidates.ts';

const node = (name: string, more: Partial<Node> = {}) => fakeCluster(fakeClock()).addNode(name, more);

describe('rankCandidates', () => {
  it('ranks by the number of reasons against a node, then by how long it has been Ready', () => {
    const { provider, donor } = lab();
    const instance = provider.state.pools.get(donor.ref.pool.id)!.instances[0]!;
    const nowMs = 100 * 3_600_000;
    const member = (name: string, more: Partial<Node>) => ({ node: node(name, more), instance });
    const ranked = rankCandidates(
      [
        member('young', { readySinceMs: nowMs - 60_000 }),
        member('cordoned', { readySinceMs: 0, isUnschedulable: true, troubles: ['DiskPressure'] }),
        member('best', { readySinceMs: 0 }),
        member('good', { readySinceMs: 10 * 3_600_000 }),
      ],
      nowMs,
    );
    expect(ranked.map((c) => c.node)).toEqual(['best', 'good', 'young', 'cordoned']);
    expect(ranked[2]!.against).toEqual(['it has been Ready for less than 1h']);
    expect(ranked[3]!.against).toEqual(['it is cordoned', 'it reports DiskPressure']);
  });
});
