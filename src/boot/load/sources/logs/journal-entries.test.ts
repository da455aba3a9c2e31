import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockMap } from '../../../model/clock-map.ts';
import type { Evidence } from '../../../model/evidence.ts';
import { hasStarted } from '../../../model/record.ts';
import { type Input, memoryInput } from '../../input.ts';
import { openInputs } from '../../open-inputs.ts';
import { journalExportSource } from './journal-export.ts';
import { journalJsonSource } from './journal-json.ts';
import { BEGAN, BOOT, DONE, entry, exported, FAILED, type Fields, json, STARTUP, WALL_ZERO_US } from './testing.ts';

const parseJson = (entries: Fields[]): Evidence[] => journalJsonSource.parse(memoryInput('j', json(entries)));
const unit = (evidence: Evidence | undefined, name: string) => evidence?.units?.find((u) => u.name === name);

const recorded = async (boot: string) => {
  const groups = await openInputs(
    new URL(`../../../fixtures/boots/${boot}.tar.gz`, import.meta.url).pathname,
    () => new Uint8Array(),
  );
  const inputs = groups.flatMap((group) => group.inputs);
  return (name: string): Input => inputs.find((input) => input.name.endsWith(`/${name}`))!;
};

function shownUnits(input: Input): Map<string, Record<string, string>> {
  const units = new Map<string, Record<string, string>>();
  for (const block of new TextDecoder().decode(input.bytes()).split('\n\n')) {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n'))
      fields[line.slice(0, line.indexOf('='))] ??= line.slice(line.indexOf('=') + 1);
    if (fields.Id) units.set(fields.Id, fields);
  }
  return units;
}

describe.each(['first-boot', 'clone-boot'])('the recorded %s', async (boot) => {
  const file = await recorded(boot);
  const [fromJson, ...more] = journalJsonSource.parse(file('journal.json'));
  const shown = shownUnits(file('systemctl-show-units.txt'));
  const manager = new TextDecoder().decode(file('systemctl-show-manager.txt').bytes());

  test('gives one boot with its boot id', () => {
    expect(more).toEqual([]);
    expect(fromJson?.bootId).toBe(new TextDecoder().decode(file('boot-id.txt').bytes()).trim().replaceAll('-', ''));
    expect(journalJsonSource.recognise(file('journal.json'))).toBeGreaterThan(0.9);
    expect(journalExportSource.recognise(file('journal.export'))).toBeGreaterThan(0.9);
    expect(fromJson?.notes).toEqual([]);
  });

  test('gives the phases that systemctl shows, to the microsecond', () => {
    const property = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(manager)?.[1]);
    expect(fromJson?.manager?.userspaceUs).toBe(property('UserspaceTimestampMonotonic'));
    expect(fromJson?.manager?.finishUs).toBe(property('FinishTimestampMonotonic'));
  });

  test('gives unit starts within 15 ms of systemctl, or within 50 ms for lines in the kernel log', () => {
    // Started twice in these boots: systemctl shows the second start, the journal gives the first.
    const startedTwice = /^modprobe@(dm_mod|efi_pstore|loop)\.service$/;
    let compared = 0;
    for (const seen of fromJson?.units ?? []) {
      const fields = shown.get(seen.name)!;
      const activatingUs = Number(fields.InactiveExitTimestampMonotonic);
      // A oneshot service ends without becoming active.
      const doneUs = Number(fields.ActiveEnterTimestampMonotonic) || Number(fields.InactiveEnterTimestampMonotonic);
      // The recording itself started this unit, and systemctl's stamps for it were cleared.
      if (seen.name === 'systemd-hostnamed.service' || startedTwice.test(seen.name)) continue;
      expect(hasStarted(seen), seen.name).toBe(activatingUs > 0);
      if (activatingUs === 0) continue;
      compared++;
      const isEarly = seen.activatedUs < fromJson!.anchors[0]!.monotonicUs + 3e6;
      const toleranceUs = isEarly ? 50_000 : 15_000;
      expect(Math.abs(seen.activatedUs - doneUs), `${seen.name} activated`).toBeLessThan(toleranceUs);
      const beganEarly = seen.activatingUs < fromJson!.anchors[0]!.monotonicUs + 3e6;
      expect(Math.abs(seen.activatingUs - activatingUs), `${seen.name} activating`).toBeLessThan(
        beganEarly ? 50_000 : 15_000,
      );
    }
    expect(compared).toBeGreaterThan(80);
  });

  test('gives the same from JSON and from export', () => {
    const [fromExport] = journalExportSource.parse(file('journal.export'));
    // The export was taken some lines earlier, so only the last anchor differs.
    const comparable = ({ kind, input, anchors, ...rest }: Evidence) => ({ ...rest, first: anchors[0] });
    expect(comparable(fromExport!)).toEqual(comparable(fromJson!));
  });

  test('anchors the clocks by the first and the last entry', () => {
    expect(fromJson?.anchors).toHaveLength(2);
    expect(clockMap(fromJson!.anchors)?.steps).toEqual([]);
  });
});

describe('units', () => {
  test('are identified by message id, in any language', () => {
    const [boot] = parseJson([
      entry(5e6, { MESSAGE_ID: BEGAN, UNIT: 'a.service', MESSAGE: 'Es beginnt.' }),
      entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service', MESSAGE: 'Fertig.', INVOCATION_ID: 'b'.repeat(32) }),
      entry(8e6, { MESSAGE: 'Started b.service - no message id.', SYSLOG_IDENTIFIER: 'other' }),
    ]);
    expect(boot?.units).toMatchObject([{ name: 'a.service', activatingUs: 5e6, activatedUs: 7e6, after: [] }]);
  });

  test('of user managers are ignored', () => {
    const [boot] = parseJson([
      entry(5e6, { _PID: '900', MESSAGE_ID: DONE, USER_UNIT: 'x.service', UNIT: 'x.service' }),
      entry(6e6, { _PID: '900', MESSAGE_ID: STARTUP, USERSPACE_USEC: '1000' }),
    ]);
    expect(boot?.units).toBeUndefined();
    expect(boot?.manager).toBeUndefined();
  });

  test('keep the first start of a boot when they are restarted later', () => {
    const [boot] = parseJson([
      entry(5e6, { MESSAGE_ID: BEGAN, UNIT: 'a.service' }),
      entry(6e6, { MESSAGE_ID: DONE, UNIT: 'a.service' }),
      entry(50e6, { MESSAGE_ID: BEGAN, UNIT: 'a.service' }),
      entry(51e6, { MESSAGE_ID: DONE, UNIT: 'a.service' }),
    ]);
    expect(unit(boot, 'a.service')).toMatchObject({ activatingUs: 5e6, activatedUs: 6e6 });
  });

  test('that ran in the initrd and in the real root have the stamps of the latter', () => {
    const [boot] = parseJson([
      entry(2e6, { MESSAGE_ID: BEGAN, UNIT: 'udev.service' }),
      entry(3e6, { MESSAGE_ID: DONE, UNIT: 'udev.service' }),
      entry(9e6, { MESSAGE_ID: BEGAN, UNIT: 'udev.service' }),
      entry(9.5e6, { MESSAGE_ID: DONE, UNIT: 'udev.service' }),
      entry(20e6, { MESSAGE_ID: STARTUP, KERNEL_USEC: '1000000', INITRD_USEC: '7000000', USERSPACE_USEC: '12000000' }),
    ]);
    expect(unit(boot, 'udev.service')).toMatchObject({ activatingUs: 9e6, activatedUs: 9.5e6 });
    expect(boot?.manager).toMatchObject({ initrdUs: 1e6, userspaceUs: 8e6, finishUs: 20e6 });
  });

  test('that failed have an end and a reason but no activation; skipped ones have neither', () => {
    const [boot] = parseJson([
      entry(5e6, { MESSAGE_ID: BEGAN, UNIT: 'bad.service' }),
      entry(6e6, { MESSAGE_ID: FAILED, UNIT: 'bad.service', JOB_RESULT: 'failed' }),
      entry(7e6, { MESSAGE_ID: FAILED, UNIT: 'next.service', JOB_RESULT: 'dependency' }),
      entry(8e6, { MESSAGE_ID: DONE, UNIT: 'skipped.service', JOB_RESULT: 'done', INVOCATION_ID: '' }),
    ]);
    expect(unit(boot, 'bad.service')).toMatchObject({
      activatingUs: 5e6,
      activatedUs: 0,
      deactivatedUs: 6e6,
      result: 'failed',
    });
    expect(unit(boot, 'next.service')).toMatchObject({ activatingUs: 0, result: 'dependency' });
    expect(unit(boot, 'skipped.service')).toMatchObject({ activatingUs: 0, conditionFailed: true });
  });

  test('that first started hours after the boot are omitted and counted', () => {
    const [boot] = parseJson([
      entry(20e6, { MESSAGE_ID: STARTUP, KERNEL_USEC: '1000000', USERSPACE_USEC: '19000000' }),
      entry(9_000e6, { MESSAGE_ID: DONE, UNIT: 'session-1.scope' }),
    ]);
    expect(boot?.units).toBeUndefined();
    expect(boot?.notes.map((note) => note.text).join()).toContain(
      'omitted 1 units that first started more than an hour',
    );
  });

  test('have the time at which PID 1 sent the message, not when journald received it', () => {
    const sentUs = String(WALL_ZERO_US + 4.9e6);
    const [boot] = parseJson([entry(5e6, { MESSAGE_ID: DONE, UNIT: 'a.service', _SOURCE_REALTIME_TIMESTAMP: sentUs })]);
    expect(unit(boot, 'a.service')?.activatedUs).toBe(4.9e6);
  });
});

describe('clocks and boots', () => {
  test('edge case 49: a VM paused between two lines gives an anchor on both sides of the gap', () => {
    const freezeUs = 960e6;
    const [boot] = parseJson([
      entry(1e6),
      entry(2e6),
      entry(
        2.1e6,
        { MESSAGE_ID: DONE, UNIT: 'a.service', _SOURCE_REALTIME_TIMESTAMP: String(WALL_ZERO_US + 2.05e6) },
        WALL_ZERO_US + freezeUs,
      ),
      entry(3e6, {}, WALL_ZERO_US + freezeUs),
    ]);
    const map = clockMap(boot!.anchors)!;
    expect(map.steps).toHaveLength(1);
    expect(map.steps[0]!.atMonotonicUs).toBe(2.1e6);
    expect(Math.abs(map.steps[0]!.byUs - freezeUs)).toBeLessThan(2_000);
    // The sender's stamp is from before the gap, so only the time of receipt is reliable.
    expect(unit(boot, 'a.service')?.activatedUs).toBe(2.1e6);
  });

  test('days of clock drift are not a clock step', () => {
    const days = Array.from({ length: 200 }, (_, i) => entry(i * 1_000e6, {}, WALL_ZERO_US + i * 30_000));
    const [boot] = parseJson(days);
    expect(boot?.anchors).toHaveLength(2);
    expect(clockMap(boot!.anchors)?.steps).toEqual([]);
  });

  test('several boots come oldest first, even from a reversed listing', () => {
    const old = { _BOOT_ID: 'c'.repeat(32) };
    const entries = [entry(1e6, old, WALL_ZERO_US - 9e9), entry(2e6, old, WALL_ZERO_US - 9e9), entry(1e6), entry(2e6)];
    const ids = (list: Fields[]) => parseJson(list).map((boot) => boot.bootId);
    expect(ids(entries)).toEqual(['c'.repeat(32), BOOT]);
    expect(ids(entries.toReversed())).toEqual(['c'.repeat(32), BOOT]);
  });

  test('a journal without "Startup finished" gives the known phases, with a warning', () => {
    const [boot] = parseJson([
      entry(6e6, { MESSAGE: 'systemd 252 running in system mode (+PAM)', SYSLOG_IDENTIFIER: 'systemd' }),
      entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' }),
    ]);
    expect(boot?.manager).toMatchObject({ userspaceUs: 6e6, finishUs: 0 });
    expect(boot?.notes.map((note) => note.text).join()).toContain('Startup finished');
  });

  test("a container's journal has no kernel phase", () => {
    const [boot] = parseJson([entry(900e6, { MESSAGE_ID: STARTUP, USERSPACE_USEC: '2000000' })]);
    expect(boot?.manager).toMatchObject({ userspaceUs: 898e6, finishUs: 900e6, securityStartUs: 0 });
  });

  test('a suspend gives a note', () => {
    const [boot] = parseJson([entry(9e6, { MESSAGE_ID: '6bbd95ee977941e497c48be27c254128', _PID: '77' })]);
    expect(boot?.notes.map((note) => note.text).join()).toContain('suspended at 9s');
  });
});

const someEntries = fc.array(
  fc.record({
    atUs: fc.integer({ min: 1, max: 4e9 }),
    id: fc.constantFrom(BEGAN, DONE, FAILED, STARTUP, 'f'.repeat(32)),
    name: fc.constantFrom('a.service', 'b.target', 'c.device'),
    message: fc.string({ unit: 'binary', maxLength: 20 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('JSON and export of arbitrary entries give the same', () => {
  fc.assert(
    fc.property(someEntries, (list) => {
      const entries = list.map(({ atUs, id, name, message }) =>
        entry(atUs, {
          MESSAGE_ID: id,
          UNIT: name,
          MESSAGE: message.toWellFormed(),
          KERNEL_USEC: '5',
          USERSPACE_USEC: '7',
        }),
      );
      const strip = (boots: Evidence[]) => boots.map(({ kind, ...rest }) => rest);
      const fromExport = journalExportSource.parse(memoryInput('j', exported(entries)));
      expect(strip(fromExport)).toEqual(strip(parseJson(entries)));
    }),
  );
});

test('edge case 50: reads a journal of 100,000 lines to the end', () => {
  const lines = Array.from({ length: 100_000 }, (_, i) =>
    entry(i * 1_000, { MESSAGE: `line ${i}`, SYSLOG_IDENTIFIER: 'app' }),
  );
  lines.push(entry(101e6, { MESSAGE_ID: DONE, UNIT: 'last.service' }));
  expect(unit(parseJson(lines)[0], 'last.service')?.activatedUs).toBe(101e6);
});
