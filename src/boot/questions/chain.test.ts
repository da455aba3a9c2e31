import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, span, unit } from '../testing.ts';
import { chain, chainTarget } from './chain.ts';
import { aksBoot, eventsBoot, nodeBoot, parkedBoot, parkedNode } from './testing.ts';

describe('chain', () => {
  it('goes back from Node Ready through kubelet and its ordering, and lists the modules of a unit', () => {
    expect(chainTarget(nodeBoot)).toBe('node-ready');
    const links = chain(nodeBoot);
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

  it('edge case 25: ignores a dependency that became active after the unit that waits for it', () => {
    expect(chain(nodeBoot, 'kubelet.service').map((link) => link.name)).not.toContain('late.service');
  });

  it('continues from a kubelet that an extension started to the extension and the guest agent', () => {
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

  it('continues with the cloud-init script for a unit it started, and with the ordering for a unit that was only queued', () => {
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

  it('goes back from Ready through the spans of kubelet, then task by task to the agent, including waits', () => {
    const links = chain(aksBoot);
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
  });

  it('includes the waits of a script before Ready if kubelet reports nothing', () => {
    expect(chain(eventsBoot).map((link) => link.name)).toEqual([
      'node-registered',
      'AKS.Runtime.waitForTLSBootstrapping',
      'kubelet-started',
      'AKS.CSE.ensureKubelet',
    ]);
  });

  it('continues with the end of startup if no source reports kubelet', () => {
    const { units, ...rest } = nodeBoot;
    const noKubelet = { ...rest, units: units.filter(({ name }) => name !== 'kubelet.service') };
    const late = noKubelet.milestones.map((m) => ({ ...m, atUs: m.atUs + 30e6 }));
    const names = chain({ ...noKubelet, milestones: late }).map((link) => link.name);
    expect(names.slice(0, 4)).toEqual(['node-ready', 'node-registered', 'startup-finished', 'late.service']);
  });

  it('follows a log without units stage by stage, also from Node Ready, so that a parked VM counts as a wait', () => {
    expect(chain(parkedBoot).map((link) => link.name)).toEqual(['modules-final', 'init-local']);
    expect(chain(parkedBoot)[1]!.inside.map((part) => part.name)).toEqual(['azure-ds/_poll_imds']);
    expect(chain(parkedNode).map((link) => link.name)).toEqual([
      'node-ready',
      'become-ready',
      'node-registered',
      'modules-final',
      'init-local',
    ]);
  });

  it('ends for any boot, including cycles, and every link ends before the next begins', () => {
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
