// Blame, chain and timeline over everything at once, on boots made by hand and on any boot at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everySpan, spanForest } from '../model/everything.ts';
import { milestonesOf } from '../model/milestones.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { blame, coveredUs } from './blame.ts';
import { chain, chainTarget } from './chain.ts';
import { timeline } from './timeline.ts';

const node = bootRecord({
  manager: managerTimes({ userspaceUs: 2e6, finishUs: 40e6 }),
  units: [
    unit('basic.target', 3, 0),
    unit('systemd-networkd-wait-online.service', 3, 5, ['basic.target']),
    unit('network-online.target', 8, 0, ['systemd-networkd-wait-online.service']),
    unit('cloud-final.service', 8.5, 10, ['network-online.target']),
    unit('kubelet.service', 19, 1, ['cloud-final.service', 'late.service']),
    unit('late.service', 30, 2),
    unit('multi-user.target', 20, 0, ['kubelet.service'], { aliases: ['default.target'] }),
  ],
  spans: [
    span('cloud-init:modules-final', 9, 18, { unit: 'cloud-final.service' }),
    span('cloud-init:modules-final/config-runcmd', 10, 17, { parent: 'cloud-init:modules-final' }),
  ],
  milestones: [
    { name: 'node-registered', atUs: 22e6, source: 'cluster', errorUs: 1e6 },
    { name: 'node-ready', atUs: 30e6, source: 'cluster', errorUs: 1e6 },
  ],
});

describe('boot chain', () => {
  it('goes from Node Ready back through kubelet and its ordering, and opens a unit into its modules', () => {
    expect(chainTarget(node)).toBe('node-ready');
    const links = chain(node);
    expect(links.map((link) => link.name)).toEqual([
      'node-ready',
      'node-registered',
      'kubelet.service',
      'cloud-final.service',
      'network-online.target',
      'systemd-networkd-wait-online.service',
      'basic.target',
    ]);
    expect(links[3]!.inside.map((s) => s.name)).toEqual(['modules-final', 'modules-final/config-runcmd']);
    expect(links[5]!.wait).toBeDefined();
    expect(links[2]!.gapUs).toBe(500_000);
  });

  it('edge case 25: a unit that came up later than the one ordered after it did not hold it back', () => {
    expect(chain(node, 'kubelet.service').map((link) => link.name)).not.toContain('late.service');
  });

  it('follows a kubelet that an extension started by hand into the extension and the guest agent', () => {
    const aks = bootRecord({
      units: [
        unit('basic.target', 2, 0),
        unit('walinuxagent.service', 5, 1, ['basic.target']),
        unit('kubelet.service', 20, 1, ['basic.target']),
      ],
      spans: [
        span('extension:AKS.CSE', 8, 25),
        span('extension:AKS.CSE.ensureKubelet', 18, 24, { parent: 'extension:AKS.CSE' }),
      ],
    });
    expect(chain(aks, 'kubelet.service').map((link) => link.name)).toEqual([
      'kubelet.service',
      'AKS.CSE.ensureKubelet',
      'AKS.CSE',
      'walinuxagent.service',
      'basic.target',
    ]);
  });

  it('explains a unit that a script of cloud-init starts by that script, and one that was only waiting its turn by its ordering', () => {
    const boot = bootRecord({
      units: [
        unit('basic.target', 2, 0),
        unit('cloud-final.service', 5, 60, ['basic.target']),
        unit('runtime.service', 30, 2, ['basic.target']),
        unit('agent.service', 50, 1, ['basic.target', 'runtime.service']),
        unit('follower.service', 51.2, 1, ['agent.service']),
      ],
      spans: [
        span('cloud-init:modules-final', 6, 64, { unit: 'cloud-final.service' }),
        span('cloud-init:modules-final/config-scripts-user', 7, 60, {
          unit: 'cloud-final.service',
          parent: 'cloud-init:modules-final',
        }),
      ],
    });
    const links = chain(boot, 'follower.service');
    expect(links.map(({ name }) => name)).toEqual([
      'follower.service',
      'agent.service',
      'cloud-final.service',
      'basic.target',
    ]);
    expect(links[2]).toMatchObject({ endUs: 50e6, gapUs: 3e6 });
    expect(links[1]!.gapUs).toBe(0);
  });

  it('goes from Ready through what the kubelet tells, and from there task by task to the agent, with the waits on the way', () => {
    const aks = bootRecord({
      units: [
        unit('basic.target', 2, 0),
        unit('walinuxagent.service', 5, 1, ['basic.target']),
        unit('kubelet.service', 50, 0.1, ['basic.target']),
      ],
      spans: [
        span('extension:AKS.CSE.cse_start', 32, 52),
        span('extension:AKS.CSE.installDeps', 32.1, 40),
        span('extension:AKS.CSE.ensureKubelet', 41, 51.5),
        span('extension:AKS.Runtime.waitForTLSBootstrapping', 49.9, 55.2, { wait: 'extension: until it is there' }),
        span('kubelet:start', 50.3, 56, { unit: 'kubelet.service' }),
        span('kubelet:register', 56, 56.4, { unit: 'kubelet.service' }),
        span('kubelet:become-ready', 56.4, 66.2, { unit: 'kubelet.service' }),
      ],
      milestones: [
        { name: 'node-registered', atUs: 56.4e6, source: 'kubelet' },
        { name: 'node-ready', atUs: 66.2e6, source: 'kubelet' },
      ],
    });
    const links = chain(aks);
    expect(links.map((link) => link.name)).toEqual([
      'node-ready',
      'become-ready',
      'node-registered',
      'register',
      'start',
      'kubelet.service',
      'AKS.CSE.ensureKubelet',
      'AKS.CSE.installDeps',
      'AKS.CSE.cse_start',
      'walinuxagent.service',
      'basic.target',
    ]);
    expect(links[4]!.inside.map((part) => part.name)).toEqual(['AKS.Runtime.waitForTLSBootstrapping']);
    expect(links[8]).toMatchObject({ endUs: 32.1e6, inside: [] });
    expect(timeline(aks).waitUs).toBe(5.3e6);
    const { work } = blame(aks);
    expect(work.map((entry) => entry.name).slice(0, 3)).toEqual(['AKS.CSE.cse_start', 'become-ready', 'start']);
    expect(work[0]!.parts.map((part) => part.name)).toEqual(['AKS.CSE.ensureKubelet', 'AKS.CSE.installDeps']);
    expect(work.find((entry) => entry.name === 'kubelet.service')!.parts).toEqual([]);
  });

  it('counts what a script waited for on the way to Ready when the kubelet itself tells nothing', () => {
    const events = bootRecord({
      spans: [
        span('extension:AKS.CSE.ensureKubelet', 41, 51.5),
        span('extension:AKS.Runtime.waitForTLSBootstrapping', 50.2, 55.2, { wait: 'extension: until it is there' }),
      ],
      milestones: [
        { name: 'kubelet-started', atUs: 50e6, source: 'kubelet', errorUs: 1e6 },
        { name: 'node-registered', atUs: 56e6, source: 'cluster', errorUs: 1e6 },
      ],
    });
    expect(chain(events).map((link) => link.name)).toEqual([
      'node-registered',
      'AKS.Runtime.waitForTLSBootstrapping',
      'kubelet-started',
      'AKS.CSE.ensureKubelet',
    ]);
    expect(timeline(events).waitUs).toBe(5e6);
  });

  it('goes on with the boot itself where nobody tells of a kubelet', () => {
    const { units, ...rest } = node;
    const noKubelet = { ...rest, units: units.filter(({ name }) => name !== 'kubelet.service') };
    const late = noKubelet.milestones.map((m) => ({ ...m, atUs: m.atUs + 30e6 }));
    const names = chain({ ...noKubelet, milestones: late }).map((link) => link.name);
    expect(names.slice(0, 4)).toEqual(['node-ready', 'node-registered', 'startup-finished', 'late.service']);
  });

  it('follows a log without units stage by stage, also from Node Ready, so that a parked VM is a wait there too', () => {
    const wait = 'platform: parked';
    const spans = [
      span('cloud-init:init-local', 5, 1008),
      span('cloud-init:azure-ds/_poll_imds', 6, 1006, { parent: 'cloud-init:init-local', wait }),
      span('cloud-init:modules-final', 1014, 1016),
    ];
    const log = bootRecord({ spans });
    expect(chain(log).map((link) => link.name)).toEqual(['modules-final', 'init-local']);
    expect(chain(log)[1]!.inside.map((part) => part.name)).toEqual(['azure-ds/_poll_imds']);
    expect(timeline(log).waitUs).toBe(1000e6);
    const withNode = bootRecord({
      spans: [...spans, span('cluster:become-ready', 1030, 1040)],
      milestones: [
        { name: 'node-registered', atUs: 1030e6, source: 'cluster' },
        { name: 'node-ready', atUs: 1040e6, source: 'cluster' },
      ],
    });
    expect(chain(withNode).map((link) => link.name)).toEqual([
      'node-ready',
      'become-ready',
      'node-registered',
      'modules-final',
      'init-local',
    ]);
    expect(timeline(withNode)).toMatchObject({ waitUs: 1000e6, ownUs: 40e6 });
  });

  it('is total on any boot, cycles included, and every link ends before the next begins', () => {
    fc.assert(
      fc.property(
        anyRecord,
        fc.option(fc.constantFrom('u1.service', 'u3.target', 'none.service'), { nil: undefined }),
        (record, target) => {
          const links = chain(record, target ?? chainTarget(record));
          expect(new Set(links.map((link) => link.id)).size).toBe(links.length);
          for (const [i, link] of links.entries()) {
            expect(Number.isFinite(link.gapUs)).toBe(true);
            const previous = links[i + 1];
            if (previous && link.source === 'systemd') expect(previous.endUs).toBeLessThanOrEqual(link.startUs);
          }
        },
      ),
    );
  });
});

describe('boot blame', () => {
  it('opens a stage into its parts, counts nothing twice, and keeps waits apart', () => {
    const { work, waits } = blame(node);
    expect(work[0]).toMatchObject({ name: 'cloud-final.service', tookUs: 10e6, ownUs: 1e6 });
    expect(work[0]!.parts[0]).toMatchObject({ name: 'modules-final', ownUs: 2e6 });
    expect(work[0]!.parts[0]!.parts[0]).toMatchObject({ name: 'modules-final/config-runcmd', tookUs: 7e6 });
    expect(waits.map((entry) => entry.name)).toEqual(['systemd-networkd-wait-online.service']);
    expect(work.map((entry) => entry.name)).not.toContain('systemd-networkd-wait-online.service');
  });

  it('ranks a stage by its work: the wait inside it is told apart', () => {
    const parked = bootRecord({
      spans: [
        span('cloud-init:init-local', 5, 1008),
        span('cloud-init:azure-ds/_poll_imds', 6, 1006, { parent: 'cloud-init:init-local', wait: 'platform: parked' }),
        span('cloud-init:modules-final', 1014, 1024),
      ],
    });
    const { work, waits } = blame(parked);
    expect(work.map(({ name, tookUs, waitUs }) => [name, tookUs, waitUs])).toEqual([
      ['modules-final', 10e6, 0],
      ['init-local', 1003e6, 1000e6],
    ]);
    expect(waits.map(({ name, tookUs }) => [name, tookUs])).toEqual([['azure-ds/_poll_imds', 1000e6]]);
  });

  it('is total on any boot, and lists every span that took time once', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const { work, waits } = blame(record);
        const ids: string[] = [];
        const walk = (entries: typeof work): void => {
          for (const entry of entries) {
            ids.push(entry.id);
            expect(entry.ownUs).toBeGreaterThanOrEqual(0);
            walk(entry.parts);
          }
        };
        walk(work);
        walk(waits.filter((wait) => !ids.includes(wait.id)));
        const timed = everySpan(record)
          .filter((s) => s.endUs > s.startUs)
          .map((s) => s.id);
        expect([...new Set(ids)].sort()).toEqual([...new Set(timed)].sort());
      }),
    );
  });
});

describe('coveredUs', () => {
  it('counts overlapping intervals once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(60), fc.nat(20))), (pairs) => {
        const seconds = new Set<number>();
        for (const [start, length] of pairs) for (let s = start; s < start + length; s++) seconds.add(s);
        expect(coveredUs(pairs.map(([start, length]) => ({ startUs: start, endUs: start + length })))).toBe(
          seconds.size,
        );
      }),
    );
  });
});

describe('boot timeline', () => {
  it('is one table from kernel to Node Ready with waits told apart from work', () => {
    const { rows, totalUs, waitUs, ownUs, endsAt } = timeline(node);
    expect(endsAt).toBe('node-ready');
    expect(totalUs).toBe(30e6);
    expect(waitUs).toBe(5e6);
    expect(ownUs).toBe(25e6);
    const names = rows.map((row) => row.name);
    for (const name of ['kernel', 'userspace', 'modules-final', 'kubelet.service', 'node-registered', 'node-ready']) {
      expect(names).toContain(name);
    }
    expect(rows.find((row) => row.name === 'systemd-networkd-wait-online.service')).toMatchObject({ kind: 'wait' });
  });

  it('edge case 39: a pre-provisioned VM parked for sixteen minutes is a platform wait, not the latency of the node', () => {
    const parked = bootRecord({
      clock: { zero: 'userspace' },
      units: [
        unit('hv-kvp-daemon.service', 2.5, 0),
        unit('cloud-init-local.service', 2.504, 1000.41, ['hv-kvp-daemon.service']),
        unit('cloud-init.service', 1004.344, 7.076, ['cloud-init-local.service']),
      ],
    });
    const { rows, waitUs, ownUs } = timeline(parked);
    expect(rows.find((row) => row.name === 'cloud-init-local.service')).toMatchObject({
      kind: 'wait',
      detail: expect.stringContaining('platform'),
    });
    expect(waitUs).toBe(1_000_410_000);
    expect(ownUs).toBeLessThan(12e6);
  });

  it('adds up on any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const { totalUs, waitUs, ownUs } = timeline(record);
        expect(totalUs).toBeGreaterThanOrEqual(0);
        expect(waitUs).toBeGreaterThanOrEqual(0);
        expect(waitUs + ownUs).toBe(totalUs);
      }),
    );
  });
});

describe('the forest of spans', () => {
  it('holds every span exactly once, whatever the parents say', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const spans = everySpan(record);
        const seen: string[] = [];
        const pending = [...spanForest(spans)];
        for (let next = pending.pop(); next; next = pending.pop()) {
          seen.push(next.span.id);
          pending.push(...next.children);
        }
        expect(seen.sort()).toEqual(spans.map((s) => s.id).sort());
      }),
    );
  });
});

describe('milestones', () => {
  it('prefers what a source stated over what the units imply, and takes the earlier of two cloud-init units', () => {
    const record = bootRecord({
      units: [
        unit('cloud-init-main.service', 3, 1),
        unit('cloud-init-local.service', 5, 1),
        unit('kubelet.service', 9, 1),
      ],
      milestones: [{ name: 'kubelet-started', atUs: 9_500_000, source: 'kubelet' }],
    });
    expect(milestonesOf(record)).toMatchObject([
      { name: 'kernel-start', atUs: 0 },
      { name: 'cloud-init-activated', atUs: 3e6 },
      { name: 'kubelet-started', atUs: 9_500_000 },
    ]);
  });
});

describe('a soft reboot', () => {
  it('edge case 33: is told from its own beginning, not from the kernel start of an earlier life', () => {
    const record = bootRecord({
      manager: managerTimes({ softRebootsCount: 1, shutdownStartUs: 2_000e6, userspaceUs: 2_010e6, finishUs: 2_132e6 }),
      units: [unit('cloud-init.service', 20, 5), unit('kubelet.service', 2_050, 2)],
    });
    const { rows, totalUs } = timeline(record);
    expect(totalUs).toBe(132e6);
    expect(rows.map((row) => row.name)).not.toContain('cloud-init.service');
    expect(rows.map((row) => row.name)).toContain('kubelet.service');
  });
});
