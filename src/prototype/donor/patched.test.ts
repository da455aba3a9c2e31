import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Node } from '../../cluster/cluster.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { compareReleases, unpatchedReasons } from './patched.ts';

const node = (name: string, more: Partial<Node> = {}) => fakeCluster(fakeClock()).addNode(name, more);

describe('unpatchedReasons', () => {
  it('includes a pending reboot, and a kernel or image older than others in the pool', () => {
    const old = node('a', {
      kernelVersion: '6.1.0-9-amd64',
      osImage: 'Ubuntu 22.04.3 LTS',
      annotations: { 'weave.works/kured-reboot-in-progress': '2026-11-15T02:00:00Z' },
    });
    const fresh = node('b', { kernelVersion: '6.1.0-54-amd64', osImage: 'Ubuntu 22.04.5 LTS' });
    expect(unpatchedReasons(old, [old, fresh])).toHaveLength(3);
    expect(unpatchedReasons(fresh, [old, fresh])).toEqual([]);
    expect(compareReleases('6.1.0-9', '6.1.0-54')).toBeLessThan(0);
  });

  it('ignores a reboot that was needed before the node last started', () => {
    const annotations = { 'kured.dev/most-recent-reboot-needed': '2026-11-14T00:00:00Z' };
    const up = node('a', { annotations, readySinceMs: Date.parse('2026-11-14T01:00:00Z') });
    expect(unpatchedReasons(up, [up])).toEqual([]);
    const due = { ...up, readySinceMs: Date.parse('2026-11-13T01:00:00Z') };
    expect(unpatchedReasons(due, [due])).toHaveLength(1);
  });

  it.each([
    ['Ubuntu 22.04.5 LTS', 'Ubuntu 24.04.1 LTS', false],
    ['Ubuntu 22.04.3 LTS', 'Ubuntu 22.04.5 LTS', true],
    ['Debian GNU/Linux 12 (bookworm)', 'Debian GNU/Linux 13 (trixie)', false],
    ['Red Hat Enterprise Linux 9.4 (Plow)', 'Red Hat Enterprise Linux 9.6 (Plow)', true],
    ['Microsoft Azure Linux 3.0', 'CBL-Mariner/Linux', false],
    ['Flatcar Container Linux by Kinvolk 3815.2.0 (Oklo)', 'Flatcar Container Linux by Kinvolk 3850.1.0 (Oklo)', true],
  ])('compares %s and %s: %s', (olderImage, newerImage, isCompared) => {
    const older = node('a', { osImage: olderImage, kernelVersion: '5.15.0-1' });
    const newer = node('b', { osImage: newerImage, kernelVersion: '6.8.0-1' });
    expect(unpatchedReasons(older, [older, newer]).length > 0).toBe(isCompared);
    expect(unpatchedReasons(newer, [older, newer])).toEqual([]);
  });
});
