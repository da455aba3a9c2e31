import { describe, expect, it } from 'vitest';
import { Bench } from '../testing.ts';
import { Dials, type FaultKind, UNHARMED } from './faults.ts';

const SET = 'virtualMachineScaleSets/pool1';

describe('configured faults', () => {
  const dials = () => new Dials(() => 0.5);

  it.each([
    ['PUT snapshots', 'PUT', 'snapshots', true],
    ['PUT snapshots', 'DELETE', 'snapshots', false],
    ['* versions', 'PATCH', 'galleries/images/versions', true],
    ['POST poweroff', 'POST', 'virtualMachineScaleSets/virtualMachines/powerOff', true],
    ['POST virtualMachineScaleSets/powerOff', 'POST', 'virtualMachineScaleSets/virtualMachines/powerOff', false],
    ['GET operations', 'GET', 'locations/operations', true],
    ['* *', 'GET', 'disks', true],
  ])('%s strikes %s %s: %s', (on, method, type, expected) => {
    const faults = dials();
    faults.set({ on, kind: 'conflict' });
    expect(faults.strike(method, type) !== UNHARMED).toBe(expected);
  });

  it('apply after the given number of requests, as often as given', () => {
    const faults = dials();
    faults.set({ on: 'GET disks', kind: 'server-error', after: 2, times: 2 });
    const struck = Array.from({ length: 6 }, () => faults.strike('GET', 'disks') !== UNHARMED);
    expect(struck).toEqual([false, false, true, true, false, false]);
  });

  it.each<[FaultKind, number]>([
    ['throttle', 429],
    ['conflict', 409],
    ['server-error', 503],
  ])('%s is answered with %i and changes nothing', (kind, status) => {
    const faults = dials();
    faults.set({ on: '* *', kind });
    const bench = new Bench();
    const before = structuredClone(bench.set());
    const answer = bench.ask('PATCH', SET, {
      body: { tags: { a: 'b' } },
      strike: faults.strike('PATCH', 'virtualMachineScaleSets'),
    });
    expect(answer.status).toBe(status);
    expect(bench.set()).toEqual(before);
  });

  it('apply with a probability, in the same way for the same seed', () => {
    const patternOf = () => {
      let state = 7;
      const faults = new Dials(() => {
        state = (state * 48271) % 2147483647;
        return state / 2147483647;
      });
      faults.set({ on: '* *', kind: 'conflict', chance: 0.3, times: 1000 });
      return Array.from({ length: 200 }, () => faults.strike('GET', 'disks') !== UNHARMED);
    };
    const struck = patternOf();
    expect(patternOf()).toEqual(struck);
    expect(struck.filter(Boolean).length).toBeGreaterThan(30);
    expect(struck.filter(Boolean).length).toBeLessThan(90);
  });
});
