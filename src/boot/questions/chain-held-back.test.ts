import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../model/record.ts';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';
import { heldBackBy, lastUnitBy } from './chain-held-back.ts';
import { chainPoints, pointNamed } from './chain-points.ts';
import { aksBoot, nodeBoot, parkedBoot } from './testing.ts';

function previous(record: BootRecord, name: string): string | undefined {
  const points = chainPoints(record);
  return heldBackBy(points, pointNamed(points, name)!)?.name;
}

/** swap.target waits for a swap unit whose device never appears. */
const timedOut = bootRecord({
  manager: managerTimes({ userspaceUs: 1e6, finishUs: 96e6 }),
  units: [
    unit('early.service', 1.5, 3),
    unit('dev-sdb.device', 0, 0),
    unit('dev-sdb.swap', 0, 0, ['dev-sdb.device', 'early.service'], { bindsTo: ['dev-sdb.device'] }),
    unit('swap.target', 92.1, 0, ['dev-sdb.swap', 'early.service']),
  ],
  spans: [
    span('systemd:waiting for dev-sdb.device', 2, 92, {
      ...{ id: 'device-wait:dev-sdb.device', unit: 'dev-sdb.device' },
      ...{ wait: 'the device never appeared', result: 'fail', failure: 'timed out after 1min 30s' },
    }),
    span('job:dev-sdb.swap', 92, 92, { source: 'systemd', unit: 'dev-sdb.swap', result: 'fail' }),
  ],
});

describe('heldBackBy, of jobs that failed', () => {
  it('returns the failed job of a dependency that never started, and the device that it waited for', () => {
    expect(previous(timedOut, 'swap.target')).toBe('dev-sdb.swap');
    expect(previous(timedOut, 'job:dev-sdb.swap')).toBe('waiting for dev-sdb.device');
    expect(previous(timedOut, 'device-wait:dev-sdb.device')).toBeUndefined();
  });

  it('returns a failed job for the end of startup if no unit ended later', () => {
    const units = timedOut.units.filter(({ name }) => name !== 'swap.target');
    expect(previous({ ...timedOut, units }, 'startup-finished')).toBe('waiting for dev-sdb.device');
  });

  it('ignores the failed job of a unit that started before', () => {
    const retried = timedOut.units.map((u) => (u.name === 'dev-sdb.swap' ? unit(u.name, 5, 1, u.after) : u));
    expect(previous({ ...timedOut, units: retried }, 'swap.target')).toBe('dev-sdb.swap');
    const points = chainPoints({ ...timedOut, units: retried });
    expect(heldBackBy(points, pointNamed(points, 'swap.target')!)?.endUs).toBe(6e6);
  });
});

describe('heldBackBy, of units that something triggers', () => {
  const early = unit('basic.target', 5, 0);
  const timer = unit('late.timer', 6, 0, ['basic.target']);
  const late = unit('late.service', 30, 5, ['basic.target'], { triggeredBy: ['late.timer'] });

  it('returns the timer of a unit, unless the unit was queued behind something later', () => {
    expect(previous(bootRecord({ units: [early, timer, late] }), 'late.service')).toBe('late.timer');
    const slow = unit('slow.service', 20, 9.9);
    const queued = { ...late, after: ['slow.service'] };
    expect(previous(bootRecord({ units: [early, timer, slow, queued] }), 'late.service')).toBe('slow.service');
  });

  it('returns the device that wants a unit, if nothing else wants it', () => {
    const device = unit('dev-hci0.device', 9, 0, [], { wants: ['bluetooth.service'] });
    const bluetooth = unit('bluetooth.service', 9.1, 1, ['basic.target']);
    const units = [early, device, bluetooth];
    expect(previous(bootRecord({ units }), 'bluetooth.service')).toBe('dev-hci0.device');
    const target = unit('multi-user.target', 20, 0, [], { wants: ['bluetooth.service'] });
    expect(previous(bootRecord({ units: [...units, target] }), 'bluetooth.service')).toBe('basic.target');
  });
});

describe('heldBackBy', () => {
  it('returns the After= dependency that became active last before the unit began', () => {
    expect(previous(nodeBoot, 'kubelet.service')).toBe('cloud-final.service');
    expect(previous(nodeBoot, 'basic.target')).toBeUndefined();
  });

  it('returns the last active unit for the end of startup', () => {
    expect(previous(nodeBoot, 'startup-finished')).toBe('late.service');
  });

  it('returns the previous stage for a stage of cloud-init', () => {
    expect(previous(parkedBoot, 'cloud-init:modules-final')).toBe('init-local');
  });

  it('returns kubelet for a wait of a script that began after it, and the previous task for its work', () => {
    const late = span('extension:wait', 51, 55, { wait: 'for the API server' });
    expect(previous({ ...aksBoot, spans: [...aksBoot.spans, late] }, late.id)).toBe('kubelet.service');
    expect(previous(aksBoot, 'extension:AKS.CSE.ensureKubelet')).toBe('AKS.CSE.installDeps');
  });

  it('returns a task of an extension only for kubelet: other units start by their ordering', () => {
    const units = [unit('basic.target', 2, 0), unit('kubelet.service', 20, 1, ['basic.target'])];
    const record = bootRecord({
      units: [...units, unit('other.service', 20, 1, ['basic.target'])],
      spans: [span('extension:AKS.CSE', 8, 25)],
    });
    expect(previous(record, 'kubelet.service')).toBe('AKS.CSE');
    expect(previous(record, 'other.service')).toBe('basic.target');
  });

  it.each([
    [5.5, 'basic.target'],
    [6, 'cloud-final.service'],
  ])('for a unit that starts at %s s, with a dependency active at 5 s, returns %s', (startS, expected) => {
    const record = bootRecord({
      units: [
        unit('basic.target', 5, 0),
        unit('cloud-final.service', 5, 30),
        unit('app.service', startS, 1, ['basic.target']),
      ],
      spans: [span('cloud-init:modules-final/config-scripts-user', 5.2, 34, { unit: 'cloud-final.service' })],
    });
    expect(previous(record, 'app.service')).toBe(expected);
  });
});

describe('lastUnitBy', () => {
  const record = bootRecord({
    manager: managerTimes(),
    units: [unit('a.service', 1, 5), unit('b.service', 2, 1), unit('never.service', 0, 9)],
  });

  it('returns the unit that became active last by an instant, or in the whole boot', () => {
    expect(lastUnitBy(record)?.name).toBe('a.service');
    expect(lastUnitBy(record, 4e6)?.name).toBe('b.service');
    expect(lastUnitBy(record, 1e6)).toBeUndefined();
  });
});
