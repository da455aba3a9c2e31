import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../testing.ts';
import { everySpan } from '../all-spans.ts';
import { orderGraph } from '../order-graph.ts';
import { inInitrd, settledUnits, spansSwitchRoot } from './initrd.ts';

/** An initrd of 27.7 s in which a person typed a passphrase; udev announces the disks again in the real root. */
const record = bootRecord({
  manager: managerTimes({ initrdUs: 1e6, userspaceUs: 28.7e6, finishUs: 40e6 }),
  units: [
    unit('dev-sda1.device', 1.5, 27.9),
    unit('dev-disk-by\\x2duuid-7.device', 1.5, 27.9),
    unit('dev-dm\\x2d0.device', 1.2, 20), // within the initrd
    unit('dev-sdb.device', 29, 3), // within the real root
    unit('systemd-cryptsetup@root.service', 1.6, 26),
    unit('app.service', 30, 1, ['dev-sda1.device']),
  ],
});

describe('spansSwitchRoot', () => {
  it('is true for devices with one stamp in the initrd and one in the real root', () => {
    const found = record.units.filter((one) => spansSwitchRoot(one, record)).map(({ name }) => name);
    expect(found).toEqual(['dev-sda1.device', 'dev-disk-by\\x2duuid-7.device']);
  });

  it('is false without an initrd', () => {
    const without = { ...record, manager: managerTimes({ userspaceUs: 28.7e6 }) };
    expect(without.units.some((one) => spansSwitchRoot(one, without))).toBe(false);
  });
});

describe('settledUnits', () => {
  it('defect 9: answers have no wait for such a device, and what-if cannot save it', () => {
    expect(settledUnits(record)[0]).toMatchObject({ activatingUs: 29.4e6, activatedUs: 29.4e6 });
    const waits = everySpan(record).filter(({ wait }) => wait?.startsWith('device: '));
    expect(waits.map(({ name }) => name)).toEqual(['dev-dm\\x2d0.device', 'dev-sdb.device']);
    const graph = orderGraph(record);
    expect(graph.tookUs[graph.numberOf.get('dev-sda1.device')!]).toBe(0);
  });
});

describe('inInitrd', () => {
  it('has the units that began there', () => {
    expect(inInitrd(record, everySpan(record)).map(({ name }) => name)).toEqual([
      'dev-dm\\x2d0.device',
      'systemd-cryptsetup@root.service',
    ]);
    expect(inInitrd(bootRecord(), [])).toEqual([]);
  });
});
