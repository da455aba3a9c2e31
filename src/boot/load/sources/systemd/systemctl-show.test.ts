import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { systemctlManagerSource, systemctlUnitsSource } from './systemctl-show.ts';

const parse = (text: string, source: Pick<typeof systemctlUnitsSource, 'parse'> = systemctlUnitsSource) =>
  source.parse(memoryInput('show.txt', text))[0];
const unitText = (id: string, lines: string[] = []) =>
  [`Id=${id}`, 'InactiveExitTimestampMonotonic=3000000', 'ActiveEnterTimestampMonotonic=5000000', ...lines, ''].join(
    '\n',
  );

test('reads units with stamps, names and edges; a value may contain an equals sign', () => {
  const found = parse(
    unitText('a.service', [
      'Names=a.service alias.service',
      'Description=key=value',
      'Type=oneshot',
      'Result=exit-code',
      'After=b.target',
    ]),
  )!;
  expect(found.units).toEqual([
    {
      name: 'a.service',
      aliases: ['alias.service'],
      description: 'key=value',
      serviceType: 'oneshot',
      result: 'exit-code',
      activatingUs: 3e6,
      activatedUs: 5e6,
      deactivatingUs: 0,
      deactivatedUs: 0,
      after: ['b.target'],
    },
  ]);
});

test.each(['', 'n/a', '0', '18446744073709551615', '[not set]', 'infinity'])(
  'edge case 22: a stamp of "%s" means not set',
  (text) => {
    const found = parse(`Id=a.service\nLoadState=loaded\nInactiveExitTimestampMonotonic=${text}\n`)!;
    expect(found.units![0]!.activatingUs).toBe(0);
    expect(found.notes).toEqual([]);
  },
);

test('warns about a stamp that is not a number, with the line, and treats it as not set', () => {
  const found = parse('\nId=a.service\nAfter=\nActiveEnterTimestampMonotonic=soon\n')!;
  expect(found.units![0]!.activatedUs).toBe(0);
  expect(found.notes[0]!.text).toMatch(/ActiveEnterTimestampMonotonic=soon in the block at line 2/);
});

test('edge case 23: a condition counts as failed only if it was checked', () => {
  const never = parse('Id=a.service\nLoadState=loaded\nConditionResult=no\nConditionTimestampMonotonic=0\n')!;
  const failed = parse('Id=a.service\nLoadState=loaded\nConditionResult=no\nConditionTimestampMonotonic=77\n')!;
  expect(never.units![0]!.conditionFailed).toBeUndefined();
  expect(failed.units![0]!.conditionFailed).toBe(true);
});

test('reads the manager and units from one file, and warns about garbage lines', () => {
  const text = `Version=252\nUserspaceTimestampMonotonic=2000000\nFinishTimestampMonotonic=9000000\nnonsense\n\n${unitText('a.service')}\nAfter=x\n`;
  const input = memoryInput('both.txt', text);
  expect(systemctlUnitsSource.recognise(input)).toBeGreaterThan(systemctlManagerSource.recognise(input));
  const found = parse(text)!;
  expect(found.manager).toMatchObject({ userspaceUs: 2e6, finishUs: 9e6 });
  expect(found.host).toEqual({ systemdVersion: '252' });
  expect(found.units).toHaveLength(1);
  expect(found.notes.map((note) => note.text)).toEqual([
    expect.stringContaining('block at line 10 has no Id='),
    expect.stringContaining('line 4 is not KEY=VALUE'),
  ]);
});

test('pairs of stamps become anchors: the kernel’s pair too, although it is 0, but not firmware’s', () => {
  const text = [
    'FirmwareTimestamp=Tue 2023-11-14 22:13:00 UTC',
    'FirmwareTimestampMonotonic=5000000',
    'KernelTimestamp=Tue 2023-11-14 22:13:20 UTC',
    'KernelTimestampMonotonic=0',
    'UserspaceTimestamp=Tue 2023-11-14 22:13:22.345678 UTC',
    'UserspaceTimestampMonotonic=2345678',
    'FinishTimestamp=',
    'FinishTimestampMonotonic=0',
  ].join('\n');
  expect(parse(text, systemctlManagerSource)!.anchors).toEqual([
    { monotonicUs: 0, wallUs: 1_700_000_000_000_000, errorUs: 1e6 },
    { monotonicUs: 2_345_678, wallUs: 1_700_000_002_345_678, errorUs: 1 },
  ]);
});

test('keeps the first and the last of many anchors in one second', () => {
  const units = [11, 5, 7].map(
    (us) => `${unitText(`u${us}.service`)}StateChangeTimestamp=@1700000000\nStateChangeTimestampMonotonic=${us}\n`,
  );
  expect(parse(units.join('\n'))!.anchors.map((anchor) => anchor.monotonicUs)).toEqual([5, 11]);
});

test('ignores stamps in a local time zone, with a note', () => {
  const found = parse(unitText('a.service', ['ActiveEnterTimestamp=Tue 2023-11-14 22:13:20 CET']))!;
  expect(found.anchors).toEqual([]);
  expect(found.notes[0]!.text).toContain('zone CET');
});

test('skips units that systemd loaded only because they were queried by name', () => {
  const idle = 'Id=idle.service\nLoadState=loaded\n';
  const listing = [unitText('a.service'), idle, unitText('a.service')].join('\n');
  expect(parse(listing)!.units!.map((unit) => unit.name)).toEqual(['a.service']);
  expect(parse([unitText('a.service'), idle].join('\n'))!.units).toHaveLength(2);
});

test('parses arbitrary bytes without throwing, and reads the units before the cut of a truncated text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const input = memoryInput('x', bytes);
      for (const source of [systemctlManagerSource, systemctlUnitsSource]) {
        source.recognise(input);
        source.parse(input);
      }
    }),
  );
  const text = [unitText('a.service'), unitText('b.service'), unitText('c.service')].join('\n');
  fc.assert(
    fc.property(fc.nat(text.length), (cut) => {
      const whole = Math.floor((cut + 1) / (text.length / 3 + 1));
      expect(parse(text.slice(0, cut))?.units?.length ?? 0).toBeGreaterThanOrEqual(whole);
    }),
  );
});
