import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidence } from '../../../model/evidence.ts';
import { mergeEvidence } from '../../../model/merge-evidence.ts';
import { memoryInput } from '../../input.ts';
import { recognise } from '../../load.ts';
import { type VmStart, vmStartSource } from './vm-start.ts';

const NOON_MS = Date.UTC(2026, 10, 15, 12);
const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';

function vmStart(more: Partial<VmStart> = {}): VmStart {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'VmStart',
    vmId: '6F4B1C5E-0C0E-4C3B-9A59-2F1F4C1D8A77',
    bootId: BOOT_ID,
    startedMs: NOON_MS,
    // The guest's clock is ten seconds ahead. It was read a minute later, within 40 ms on the host's clock.
    clock: {
      guestMs: NOON_MS + 70_020,
      hostBeforeMs: NOON_MS + 60_000,
      hostAfterMs: NOON_MS + 60_040,
      uptimeMs: 58_000,
    },
    health: [{ atMs: NOON_MS + 45_000, state: 'Ready' }],
    ...more,
  };
}

const read = (start: unknown) => vmStartSource.parse(memoryInput('vm.json', JSON.stringify(start)))[0]!;
const namesOf = (start: unknown) => read(start).milestones.map(({ name }) => name);

describe('vmStartSource', () => {
  it('recognises a VM start and converts it to the guest clock, with its error', () => {
    const input = memoryInput('vm.json', JSON.stringify(vmStart(), null, 2));
    expect(recognise(input)?.kind).toBe('vm-start');
    expect(read(vmStart())).toMatchObject({
      clock: 'wall',
      bootId: BOOT_ID,
      host: { vmId: '6f4b1c5e-0c0e-4c3b-9a59-2f1f4c1d8a77' },
      milestones: [
        { name: 'vm-created', atUs: (NOON_MS + 10_000) * 1000, errorUs: 21_000, source: 'platform' },
        { name: 'platform-ready', atUs: (NOON_MS + 55_000) * 1000, errorUs: 21_000 },
      ],
      notes: [],
    });
  });

  it('places the VM start before kernel start when merged with the rest of the boot', () => {
    const kernelUs = (NOON_MS + 12_000) * 1000;
    const manager = evidence({
      kind: 'journal-json',
      input: 'journal.json',
      clock: 'monotonic',
      bootId: BOOT_ID,
      anchors: [{ monotonicUs: 5_000_000, wallUs: kernelUs + 5_000_000, errorUs: 0 }],
      milestones: [{ name: 'userspace', atUs: 5_000_000, source: 'systemd' }],
    });
    const [record, ...others] = mergeEvidence([{ isFolder: true, evidence: [manager, read(vmStart())] }]);
    expect(others).toEqual([]);
    expect(record!.milestones.map(({ name, atUs }) => [name, atUs])).toEqual([
      ['vm-created', -2_000_000],
      ['userspace', 5_000_000],
      ['platform-ready', 43_000_000],
    ]);
  });

  it('edge case 51: ignores the VM start and earlier reports of a guest that has restarted since', () => {
    const restarted = {
      ...vmStart().clock,
      guestMs: NOON_MS + 7_210_020,
      hostBeforeMs: NOON_MS + 7_200_000,
      hostAfterMs: NOON_MS + 7_200_040,
    };
    const found = read(vmStart({ clock: restarted }));
    expect(found.milestones).toEqual([]);
    expect(found.notes[0]!.text).toContain('this boot began 1h 59min 2s after its VM was started');
  });

  it('edge case 52: gives no VM start if the host clock was set back, or if the VM is younger than the boot', () => {
    const { clock } = vmStart();
    expect(namesOf(vmStart({ clock: { ...clock, hostAfterMs: clock.hostBeforeMs - 1 } }))).toEqual([]);
    expect(namesOf(vmStart({ startedMs: NOON_MS + 60_041 }))).not.toContain('vm-created');
  });

  it('warns with the reason when the guest reports NotReady', () => {
    const health = [
      { atMs: NOON_MS + 20_000, state: 'NotReady', subStatus: 'ProvisioningFailed', description: 'no ovf-env.xml' },
      { atMs: NOON_MS + 50_000, state: 'Ready' },
    ];
    const found = read(vmStart({ health }));
    expect(found.notes.map(({ text }) => text)).toEqual([
      'vm.json: the guest reported NotReady to the wire server: ProvisioningFailed: no ovf-env.xml',
    ]);
    expect(found.milestones.at(-1)).toMatchObject({ name: 'platform-ready', atUs: (NOON_MS + 60_000) * 1000 });
  });

  it.each([
    { ...vmStart(), startedMs: '12' },
    { ...vmStart(), startedMs: 1e20 },
    { ...vmStart(), clock: {} },
    { ...vmStart(), bootId: 'x' },
    { ...vmStart(), apiVersion: 'v9' },
  ])('warns about an unknown format: %j', (start) => {
    expect(read(start)).toMatchObject({ milestones: [], notes: [{ level: 'warning' }] });
  });

  it('places the VM start within the stated error for any pair of clocks', () => {
    const ms = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        (hostMs, guestMs, widthMs, agoMs) => {
          const clock = { guestMs, hostBeforeMs: hostMs, hostAfterMs: hostMs + widthMs };
          const startedMs = Math.max(0, hostMs - agoMs);
          const [created] = read(vmStart({ clock, startedMs, health: [] })).milestones;
          // The true time is within the stated error, wherever in the interval the guest's clock was read.
          for (const readMs of [hostMs, hostMs + widthMs]) {
            const truthUs = (startedMs + guestMs - readMs) * 1000;
            expect(Math.abs(created!.atUs - truthUs)).toBeLessThanOrEqual(created!.errorUs!);
          }
        },
      ),
    );
  });
});
