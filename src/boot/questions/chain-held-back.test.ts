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
