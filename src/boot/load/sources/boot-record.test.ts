import { expect, test } from 'vitest';
import { mergeEvidence } from '../../model/merge-evidence.ts';
import type { BootRecord } from '../../model/record.ts';
import { bootRecord, managerTimes, span, unit } from '../../testing.ts';
import { memoryInput } from '../input.ts';
import { bootRecordSource } from './boot-record.ts';
import { sourceSuite } from './source.suite.ts';

const record = (clock: BootRecord['clock']) =>
  bootRecord({
    bootId: 'a'.repeat(32),
    clock,
    units: [unit('a.service', 3, 1), unit('never.service', 0, 0)],
    spans: [span('cloud-init:init', 4, 5)],
    milestones: [{ name: 'node-ready', atUs: 9e6, source: 'cluster' }],
    notes: [{ level: 'info', text: 'a note' }],
  });
const read = (content: unknown) => bootRecordSource.parse(memoryInput('r.json', JSON.stringify(content)), { nowUs: 0 });

test.each<BootRecord['clock']>([
  { zero: 'kernel' },
  { zero: 'kernel', wallAtZeroUs: 1_794_776_878e6, errorUs: 500 },
  { zero: 'userspace' },
  { zero: 'first-event', wallAtZeroUs: 1_794_776_878e6, errorUs: 0 },
])('reads back a record on the clock %j unchanged', async (clock) => {
  const written = record(clock);
  const [back, ...others] = mergeEvidence([{ isFolder: false, evidence: await read(written) }]);
  expect(others).toEqual([]);
  const { units, spans, milestones, notes } = written;
  const shift = clock.zero === 'first-event' ? 3e6 - 1 : 0; // this clock starts at the first event
  const first = back!.spans[0]!.startUs;
  expect(first).toBe(4e6 - shift);
  expect(back).toMatchObject({ bootId: written.bootId, notes });
  if (shift === 0) expect(back).toMatchObject({ clock, units, spans, milestones });
});

test('turns a truncated record, or one that does not match the schema, into a note only', async () => {
  const cut = await bootRecordSource.parse(memoryInput('r.json', '{"kind":"BootRecord",'), { nowUs: 0 });
  expect(cut[0]!.notes[0]!.text).toContain('r.json: this boot record is not valid JSON');
  const [wrong] = await read({ ...record({ zero: 'kernel' }), units: 5 });
  expect(wrong!.notes[0]!.text).toContain('does not match the schema');
  expect(wrong!.units).toBeUndefined();
});

test('recognises only boot records', () => {
  const sure = (text: string) => bootRecordSource.recognise(memoryInput('x', text));
  expect(sure('{"apiVersion":"headstart.dev/v1","kind":"BootRecord"}')).toBe(1);
  expect(sure('{"apiVersion":"v1","kind":"Node"}')).toBe(0);
  expect(sure('[{"kind":"BootRecord"}]')).toBe(0);
});

sourceSuite(bootRecordSource, JSON.stringify({ ...record({ zero: 'kernel' }), manager: managerTimes() }));
