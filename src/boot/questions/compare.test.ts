import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../model/record.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { compareBoots } from './compare.ts';

/** net → app → multi-user.target, and a unit that no other unit waits for. */
function boot({ net = 1, app = 2, parallel = 0.5, kernel = 2 } = {}): BootRecord {
  const at = kernel + 1;
  const up = at + Math.max(net + app, parallel);
  return bootRecord({
    manager: managerTimes({ userspaceUs: kernel * 1e6, finishUs: up * 1e6 + 100_000 }),
    units: [
      unit('net.service', at, net),
      unit('app.service', at + net, app, ['net.service']),
      unit('parallel.service', at, parallel),
      unit('multi-user.target', up, 0, ['app.service', 'parallel.service']),
    ],
    spans: [span('cloud-init:app/module', at + net, at + net + app / 2, { unit: 'app.service' })],
  });
}
const find = (answer: ReturnType<typeof compareBoots>, id: string) => answer.changes.find((change) => change.id === id);

describe('compareBoots', () => {
  it('finds the unit on the path that explains the whole difference', () => {
    const answer = compareBoots([boot()], [boot({ app: 5 })]);
    expect(answer.total).toMatchObject({
      name: 'startup-finished',
      beforeUs: 6_100_000,
      afterUs: 9_100_000,
      deltaUs: 3_000_000,
    });
    expect(find(answer, 'systemd:app.service')).toMatchObject({
      change: 'slower',
      deltaUs: 3_000_000,
      onPath: 'both',
      explainsUs: 3_000_000,
      share: 1,
    });
    expect(find(answer, 'cloud-init:app/module')).toMatchObject({
      change: 'slower',
      deltaUs: 1_500_000,
      share: 0.5,
      inside: 'systemd:app.service',
    });
  });

  it('counts until the given target, even if the boot continued', () => {
    const answer = compareBoots([boot()], [boot({ net: 4, parallel: 20 })], { target: 'net.service' });
    expect(answer.total).toMatchObject({ name: 'net.service', beforeUs: 4_000_000, afterUs: 7_000_000 });
    expect(find(answer, 'systemd:net.service')).toMatchObject({ onPath: 'both', share: 1 });
    expect(find(answer, 'systemd:parallel.service')).toMatchObject({ onPath: 'no' });
    expect(compareBoots([boot()], [boot()], { target: 'other.service' })).not.toHaveProperty('total');
  });

  it('attributes nothing to a unit that no other unit waited for', () => {
    const answer = compareBoots([boot()], [boot({ parallel: 1.5 })]);
    expect(find(answer, 'systemd:parallel.service')).toMatchObject({ change: 'slower', onPath: 'no', explainsUs: 0 });
    expect(answer.total?.deltaUs).toBe(0);
    expect(find(answer, 'systemd:parallel.service')).not.toHaveProperty('share');
  });

  it('reports that another unit is now on the path', () => {
    const answer = compareBoots([boot()], [boot({ parallel: 7 })]);
    expect(find(answer, 'systemd:parallel.service')).toMatchObject({ change: 'slower', onPath: 'after' });
  });

  it('attributes a share to the kernel', () => {
    const answer = compareBoots([boot()], [boot({ kernel: 3, app: 3 })]);
    expect(find(answer, 'phase:kernel')).toMatchObject({ what: 'phase', change: 'slower', share: 0.5 });
  });

  it('lists new and gone units with their full duration', () => {
    const without = boot();
    without.units = without.units.filter((u) => u.name !== 'parallel.service');
    expect(find(compareBoots([without], [boot()]), 'systemd:parallel.service')).toMatchObject({
      change: 'new',
      deltaUs: 500_000,
      afterUs: 500_000,
    });
    expect(find(compareBoots([boot()], [without]), 'systemd:parallel.service')).toMatchObject({
      change: 'gone',
      deltaUs: -500_000,
      beforeUs: 500_000,
    });
  });

  it('omits and counts changes below the threshold', () => {
    const answer = compareBoots([boot()], [boot({ parallel: 0.504 })]);
    expect(answer.changes).toEqual([]);
    expect(answer.belowThreshold).toBe(1);
    expect(compareBoots([boot()], [boot({ parallel: 0.504 })], { thresholdUs: 1000 }).changes).toHaveLength(1);
  });

  it('notes that noise is unknown with one boot per side', () => {
    const answer = compareBoots([boot()], [boot({ app: 3 })]);
    expect(answer.notes.join()).toContain('noise is unknown');
    expect(answer.total).not.toHaveProperty('isNoise');
  });

  it('uses medians of several boots, and distinguishes a difference from noise', () => {
    const before = [
      boot({ app: 2, parallel: 0.5 }),
      boot({ app: 2.1, parallel: 0.9 }),
      boot({ app: 1.9, parallel: 0.4 }),
    ];
    const after = [
      boot({ app: 4, parallel: 0.6 }),
      boot({ app: 4.1, parallel: 0.8 }),
      boot({ app: 3.9, parallel: 0.5 }),
    ];
    const answer = compareBoots(before, after);
    expect(answer.total).toMatchObject({ deltaUs: 2_000_000, isNoise: false });
    expect(find(answer, 'systemd:app.service')).toMatchObject({
      beforeUs: 2_000_000,
      afterUs: 4_000_000,
      isNoise: false,
    });
    expect(find(answer, 'systemd:parallel.service')).toMatchObject({ deltaUs: 100_000, isNoise: true });
  });

  it('counts both sides from userspace if one side has only userspace times', () => {
    const pasted = bootRecord({
      clock: { zero: 'userspace' },
      units: [unit('a.service', 1, 2), unit('multi-user.target', 3, 0, ['a.service'])],
    });
    const whole = bootRecord({
      manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 0 }),
      units: [unit('a.service', 3, 3), unit('multi-user.target', 6, 0, ['a.service'])],
    });
    const answer = compareBoots([pasted], [whole]);
    expect(answer.total).toMatchObject({ name: 'default-target', beforeUs: 3_000_000, afterUs: 4_000_000 });
    expect(answer.notes.join()).toContain('userspace');
  });

  it('notes that no end of the boot is known on both sides', () => {
    const answer = compareBoots([bootRecord({ spans: [span('cloud-init:a', 1, 2)] })], [boot()]);
    expect(answer.total).toBeUndefined();
    expect(answer.notes.join()).toContain('no total');
  });
});

describe('compareBoots with waits and unknown ordering', () => {
  const waiting = (waitS: number, appS: number) =>
    bootRecord({
      manager: managerTimes({ userspaceUs: 2e6, finishUs: (3 + waitS + appS) * 1e6 }),
      units: [
        unit('systemd-networkd-wait-online.service', 3, waitS),
        unit('app.service', 3 + waitS, appS, ['systemd-networkd-wait-online.service']),
        unit('multi-user.target', 3 + waitS + appS, 0, ['app.service']),
      ],
    });

  it('separates waits on the path from own time', () => {
    const answer = compareBoots([waiting(4, 2)], [waiting(1, 3)]);
    expect(answer.total).toMatchObject({ deltaUs: -2e6 });
    expect(answer.waits).toMatchObject({ beforeUs: 4e6, afterUs: 1e6, deltaUs: -3e6 });
    expect(find(answer, 'systemd:systemd-networkd-wait-online.service')).toMatchObject({
      wait: 'network: until it is online',
    });
    expect(find(answer, 'systemd:app.service')).not.toHaveProperty('wait');
  });

  it('does not say that a unit without ordering held nothing back', () => {
    const journal = (appS: number) =>
      bootRecord({
        manager: managerTimes({ userspaceUs: 2e6, finishUs: (4 + appS) * 1e6 }),
        units: [unit('app.service', 3, appS), unit('last.service', 3, appS + 1)],
        spans: [span('cloud-init:app/module', 3, 3 + appS / 2, { unit: 'app.service', parent: 'systemd:app.service' })],
      });
    const answer = compareBoots([journal(2)], [journal(5)]);
    expect(find(answer, 'systemd:app.service')).toMatchObject({ onPath: 'unknown' });
    expect(find(answer, 'cloud-init:app/module')).toMatchObject({ onPath: 'unknown' });
  });
});

describe('compareBoots for any boots', () => {
  it('finds no changes between a boot and itself', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        expect(compareBoots([record], [record], { thresholdUs: 1 }).changes).toEqual([]);
      }),
    );
  });

  it('inverts every difference if the sides are swapped', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, (one, other) => {
        const there = compareBoots([one], [other]);
        const back = compareBoots([other], [one]);
        const deltas = (answer: typeof there) => new Map(answer.changes.map((change) => [change.id, change.deltaUs]));
        const turned = new Map([...deltas(back)].map(([id, us]) => [id, 0 - us]));
        expect(new Map([...deltas(there)].map(([id, us]) => [id, 0 + us]))).toEqual(turned);
      }),
    );
  });
});
