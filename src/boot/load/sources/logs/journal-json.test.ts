import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '../../../model/evidence.ts';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { journalJsonSource } from './journal-json.ts';
import { DONE, entry, type Fields, json } from './testing.ts';

const parseJson = (entries: Fields[]): Evidence[] => journalJsonSource.parse(memoryInput('j', json(entries)));
const unit = (evidence: Evidence | undefined, name: string) => evidence?.units?.find((u) => u.name === name);

test('accepts values that are bytes, null or repeated', () => {
  const bytes = [...Buffer.from('Linux version 6.1-é (x)')];
  const [boot] = parseJson([
    entry(1e6, { MESSAGE: bytes, SYSLOG_IDENTIFIER: ['kernel', 'other'], _TRANSPORT: 'kernel' }),
    entry(2e6, { MESSAGE: null, SYSLOG_IDENTIFIER: 'kernel' }),
    entry(3e6, { MESSAGE: [[...Buffer.from('x')], 'y'], SYSLOG_IDENTIFIER: 'kernel' }),
  ]);
  expect(boot?.host?.kernel).toBe('6.1-é');
});

test('reads json-seq, json-sse and json-pretty too', () => {
  const one = entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' });
  const texts = [
    `\x1e${JSON.stringify(one)}\n`,
    `data: ${JSON.stringify(one)}\n\n`,
    `${JSON.stringify(one, null, '\t')}\n`,
  ];
  for (const text of texts) {
    const input = memoryInput('j', text);
    expect(journalJsonSource.recognise(input)).toBeGreaterThan(0.9);
    expect(unit(journalJsonSource.parse(input)[0], 'a.service')?.activatedUs).toBe(7e6);
  }
});

test('warns about unreadable lines once per kind, with the count and the first line', () => {
  const text = `${json([entry(1e6)])}garbage\n[1]\nmore garbage\n{"MESSAGE":"no times"}\n`;
  const [boot] = journalJsonSource.parse(memoryInput('j.json', text));
  expect(boot?.notes.map((note) => note.text)).toEqual([
    'j.json: line 2 is not JSON (and 1 more like it)',
    'j.json: line 3 is not a journal entry',
    'j.json: line 5 has no __MONOTONIC_TIMESTAMP or __REALTIME_TIMESTAMP; skipped',
  ]);
});

test('an unclosed entry does not consume the rest of the file', () => {
  const open = `{\n${'"A": "b",\n'.repeat(2_100)}`;
  const [boot] = journalJsonSource.parse(
    memoryInput('j', open + json([entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' })])),
  );
  expect(unit(boot, 'a.service')?.activatedUs).toBe(7e6);
});

test('warns about an entry without an end', () => {
  const text = `${json([entry(1e6)])}{\n"MESSAGE": "x",\n`;
  const [boot] = journalJsonSource.parse(memoryInput('j', text));
  expect(boot?.notes.map((note) => note.text)).toEqual(['j: line 2 starts an entry that does not end']);
});

test('recognises a journal below a shell prompt with lower confidence', () => {
  const line = json([entry(1e6)]);
  expect(journalJsonSource.recognise(memoryInput('j', `$ journalctl -o json\n${line}`))).toBe(0.5);
  expect(journalJsonSource.recognise(memoryInput('j', '{"MESSAGE":"x"}'))).toBe(0);
});

test('reads the entries before the cut, wherever the input is truncated', () => {
  const entries = Array.from({ length: 6 }, (_, i) =>
    entry((i + 1) * 1e6, { MESSAGE_ID: DONE, UNIT: `u${i}.service`, MESSAGE: 'a\nb' }),
  );
  const bytes = Buffer.from(json(entries));
  const ends = entries.map((_, i) => Buffer.from(json(entries.slice(0, i + 1))).length);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length }), (cut) => {
      const whole = ends.filter((end) => end <= cut).length;
      const seen = journalJsonSource.parse(memoryInput('cut', bytes.subarray(0, cut)))[0]?.units ?? [];
      const names = seen.map((u) => u.name);
      for (let i = 0; i < whole; i++) expect(names).toContain(`u${i}.service`);
    }),
  );
});

sourceSuite(
  journalJsonSource,
  json([entry(24_532_010, { MESSAGE_ID: DONE, UNIT: 'a.service', MESSAGE: 'x' })]).repeat(3),
);
