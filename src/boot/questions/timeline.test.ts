import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { aksBoot, eventsBoot, nodeBoot, parkedBoot, parkedNode } from './testing.ts';
import { timeline } from './timeline.ts';

describe('timeline', () => {
  it('is one table from kernel to Node Ready that separates waits from work', () => {
    const { rows, totalUs, waitUs, ownUs, endsAt } = timeline(nodeBoot);
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

  it('has a row for each unit whose start failed, and says why, and for none that failed later', () => {
    const failed = { activeState: 'failed', result: 'timeout' };
    const { rows } = timeline(
      bootRecord({
        units: [
          unit('containerd.service', 2, 1),
          unit('broken.service', 2, 0, [], { ...failed, activatedUs: 0, deactivatedUs: 92e6 }),
          unit('later.service', 2, 5, [], { ...failed, deactivatedUs: 900e6 }),
        ],
      }),
    );
    expect(rows.find(({ name }) => name === 'broken.service')).toMatchObject({
      ...{ kind: 'work', result: 'fail', tookUs: 90e6, detail: 'failed: timed out after 1min 30s' },
    });
    expect(rows.map(({ name }) => name)).not.toContain('later.service');
  });

  it('has rows for the five longest initcalls of the kernel, inside it, and for none below 50 ms', () => {
    const parent = 'kernel:until-init';
    const call = (name: string, took: number) => span(`kernel:initcall/${name}`, 1, 1 + took, { parent });
    const long = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6].map((took) => call(`f${took}`, took));
    const names = (spans: typeof long) => {
      const { rows } = timeline(bootRecord({ spans: [span(parent, 0, 4), ...spans] }));
      return rows.filter(({ depth }) => depth === 1).map(({ name }) => name);
    };
    expect(names(long)).toEqual(['initcall/f0.6', 'initcall/f0.5', 'initcall/f0.4', 'initcall/f0.3', 'initcall/f0.2']);
    expect(names([call('short', 0.049), call('edge', 0.05)])).toEqual(['initcall/edge']);
  });

  it('shows the longest units of a systemd initrd, and counts the time until a person typed as a wait', () => {
    const { rows, waitUs, ownUs } = timeline(
      bootRecord({
        manager: managerTimes({ initrdUs: 1e6, userspaceUs: 29e6, finishUs: 40e6 }),
        units: [
          unit('systemd-cryptsetup@root.service', 2, 26),
          unit('systemd-ask-password-console.service', 2.5, 0),
          unit('dracut-pre-mount.service', 28, 0.5),
          unit('multi-user.target', 40, 0),
        ],
      }),
    );
    const names = rows.map(({ name, kind }) => [name, kind]);
    expect(names).toContainEqual(['systemd-cryptsetup@root.service', 'wait']);
    expect(names).toContainEqual(['dracut-pre-mount.service', 'work']);
    expect([waitUs, ownUs]).toEqual([26e6, 14e6]);
  });

  it('says what triggered a unit', () => {
    const docker = unit('docker.service', 9, 1, [], { triggeredBy: ['docker.socket'] });
    const { rows } = timeline(bootRecord({ units: [unit('docker.socket', 2, 0), docker] }));
    expect(rows.find(({ name }) => name === 'docker.service')?.detail).toBe('started by docker.socket');
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

  it('says how exact the total is', () => {
    const ready = { name: 'node-ready', atUs: 19_541_000, source: 'kubelet' } as const;
    const clock = { zero: 'kernel', errorUs: 300_000 } as const;
    expect(timeline(bootRecord({ milestones: [{ ...ready, errorUs: 350_000 }] })).errorUs).toBe(350_000);
    expect(timeline(bootRecord({ clock, milestones: [ready] })).errorUs).toBeUndefined();
    const spans = [span('cloud-init:init-local', 7, 8)];
    const from = (...kinds: string[]) => ({ clock, spans, sources: kinds.map((kind) => ({ kind, input: kind })) });
    expect(timeline(bootRecord(from('cloud-init-log', 'journal-text'))).errorUs).toBe(300_000);
    expect(timeline(bootRecord(from('cloud-init-log', 'systemctl-units'))).errorUs).toBeUndefined();
  });

  it('marks a length that is only a limit', () => {
    const details = (detail: string) =>
      timeline(bootRecord({ spans: [span('cloud-init:init-local', 7, 8, { detail })] }))
        .rows.filter((row) => row.source === 'cloud-init')
        .map((row) => row.detail);
    expect(details('searching; its finish is not in this log')).toEqual(['at least: its finish is not in this log']);
    expect(details('at most: only the next step')).toEqual(['at most: only the next step']);
    expect(details('searching for local datasources')).toEqual([undefined]);
  });

  it('adds up for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const { totalUs = 0, waitUs = 0, ownUs = 0 } = timeline(record);
        expect(timeline(record).totalUs).not.toBe(0);
        expect(waitUs).toBeGreaterThanOrEqual(0);
        expect(waitUs + ownUs).toBe(totalUs);
      }),
    );
  });

  it('counts the waits that delayed the node, reported by a script, by kubelet or by the log of a parked VM', () => {
    expect(timeline(aksBoot).waitUs).toBe(5.3e6);
    expect(timeline(eventsBoot).waitUs).toBe(5e6);
    expect(timeline(parkedBoot).waitUs).toBe(1000e6);
    expect(timeline(parkedNode)).toMatchObject({ waitUs: 1000e6, ownUs: 40e6 });
  });

  it('does not count a wait that is not on the chain', () => {
    const parallel = bootRecord({
      units: [
        unit('chrony-wait.service', 3, 20),
        unit('app.service', 3, 4),
        unit('multi-user.target', 7, 0, ['app.service']),
      ],
      milestones: [{ name: 'startup-finished', atUs: 8e6, source: 'systemd' }],
    });
    const { rows, waitUs, ownUs } = timeline(parallel);
    expect(rows.find((row) => row.name === 'chrony-wait.service')).toMatchObject({ kind: 'wait' });
    expect([waitUs, ownUs]).toEqual([0, 8e6]);
  });

  it('begins with the creation of the VM as a wait, if the platform reports it', () => {
    const milestones = [
      { name: 'vm-created', atUs: -4e6, source: 'platform' },
      { name: 'node-ready', atUs: 30e6, source: 'cluster', errorUs: 1e6 },
    ] as const;
    const { rows, totalUs, waitUs } = timeline(bootRecord({ milestones: [...milestones] }));
    expect(rows[0]).toMatchObject({ name: 'VM creation', kind: 'wait', startUs: -4e6, tookUs: 4e6 });
    expect(rows.at(-1)).toMatchObject({ name: 'node-ready', kind: 'instant', detail: '± 1 s' });
    expect([totalUs, waitUs]).toEqual([34e6, 4e6]);
  });
});

describe('timeline after a soft reboot', () => {
  it('edge case 33: begins with the soft reboot, not with the kernel start of the earlier boot', () => {
    const record = bootRecord({
      manager: managerTimes({ softRebootsCount: 1, shutdownStartUs: 2_000e6, userspaceUs: 2_010e6, finishUs: 2_132e6 }),
      units: [unit('cloud-init.service', 20, 5), unit('kubelet.service', 2_050, 2)],
    });
    const { rows, totalUs } = timeline(record);
    expect(totalUs).toBe(132e6);
    expect(rows.map((row) => row.name)).not.toContain('cloud-init.service');
    expect(rows.map((row) => row.name)).toContain('kubelet.service');
  });

  it('has no total where the input has one instant only, such as a kernel log without systemd', () => {
    const answer = timeline(bootRecord({ milestones: [{ name: 'kernel-start', atUs: 0, source: 'kernel' }] }));
    expect(answer.rows.map((row) => row.name)).toEqual(['kernel-start']);
    expect(answer).not.toHaveProperty('totalUs');
    expect(answer).not.toHaveProperty('endsAt');
  });

  it('ends a pasted listing at its root, and shows the longest units where no usual one ran', () => {
    const pasted = bootRecord({
      clock: { zero: 'userspace' },
      sources: [{ kind: 'analyze-critical-chain', input: 'paste' }],
      units: [
        unit('app.service', 92.4, 0.5, ['sysinit.target']),
        unit('sysinit.target', 91.851, 0, ['keyboard-setup.service']),
        unit('keyboard-setup.service', 1.572, 6.023),
      ],
    });
    const { rows, totalUs, endsAt } = timeline(pasted);
    expect({ totalUs, endsAt }).toEqual({ totalUs: 92_900_000, endsAt: 'app.service' });
    expect(rows.map((row) => row.name)).toEqual(['userspace', 'keyboard-setup.service', 'app.service']);
  });

  it('counts the last event of every unit, also of units without a row', () => {
    const record = bootRecord({ units: [unit('docker.service', 1, 2), unit('last.service', 4, 5)] });
    expect(timeline(record)).toMatchObject({ totalUs: 9e6, endsAt: 'last event' });
  });

  it('lists units of unknown start last, without a start and without a total', () => {
    const units = [unit('short.service', 1, 2), unit('long.service', 1, 3)].map((one) => ({
      ...one,
      isStartUnknown: true,
    }));
    const { rows, totalUs } = timeline(bootRecord({ clock: { zero: 'userspace' }, units }));
    expect(totalUs).toBeUndefined();
    expect(rows.slice(-2)).toEqual([
      { name: 'long.service', source: 'systemd', tookUs: 3e6, kind: 'work', depth: 0 },
      { name: 'short.service', source: 'systemd', tookUs: 2e6, kind: 'work', depth: 0 },
    ]);
  });
});
