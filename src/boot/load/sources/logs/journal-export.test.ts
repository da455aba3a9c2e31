import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '../../../model/evidence.ts';
import type { Unit } from '../../../model/record.ts';
import { type Input, memoryInput } from '../../input.ts';
import { openInputs } from '../../open-inputs.ts';
import { sourceSuite } from '../source.suite.ts';
import { journalExportSource } from './journal-export.ts';
import { DONE, entry, exported } from './testing.ts';

const unit = (evidence: Evidence | undefined, name: string) => evidence?.units?.find((u) => u.name === name);

function inPieces(name: string, bytes: Uint8Array, size: number): Input {
  const input = memoryInput(name, bytes);
  return {
    ...input,
    *chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

test.each(['first-boot', 'clone-boot'])('gives the same for the recorded %s with any chunk size', async (boot) => {
  const path = new URL(`../../../fixtures/boots/${boot}.tar.gz`, import.meta.url).pathname;
  const inputs = (await openInputs(path, () => new Uint8Array())).flatMap((group) => group.inputs);
  const file = inputs.find((input) => input.name.endsWith('/journal.export'))!;
  const bytes = file.bytes().subarray(0, 150_000);
  const whole = journalExportSource.parse(memoryInput('x', bytes));
  for (const size of [7, 64, 4096]) expect(journalExportSource.parse(inPieces('x', bytes, size))).toEqual(whole);
});

test('a binary field may contain newlines, equals signs and blank lines', () => {
  const [boot] = journalExportSource.parse(
    memoryInput(
      'x',
      exported([entry(1e6, { BLOB: 'a=b\n\n\nUNIT=x\n' }), entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' })]),
    ),
  );
  expect(boot?.units?.map((u: Unit) => u.name)).toEqual(['a.service']);
  expect(boot?.notes).toEqual([]);
});

test('an absurd length in an export is damage, and what follows is still read', () => {
  const bad = Buffer.concat([Buffer.from('BLOB\n'), Buffer.alloc(8, 0x41), Buffer.from('rest\n\n')]);
  const bytes = Buffer.concat([
    exported([entry(1e6)]),
    bad,
    exported([entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' })]),
  ]);
  const [boot] = journalExportSource.parse(memoryInput('x', bytes));
  expect(unit(boot, 'a.service')?.activatedUs).toBe(7e6);
  expect(boot?.notes[0]?.text).toContain('entry 2 has a field BLOB with an invalid length');
});

test('warns about lines that are not fields, and uses the first value of a repeated field', () => {
  const bytes = Buffer.concat([
    Buffer.from('lower=case\n'),
    Buffer.from('not a field\n'),
    exported([entry(7e6, { MESSAGE_ID: DONE, UNIT: 'a.service' })]).subarray(0, -1),
    Buffer.from('UNIT=b.service\n'),
  ]);
  const [boot] = journalExportSource.parse(memoryInput('x', bytes));
  expect(boot?.units?.map((u: Unit) => u.name)).toEqual(['a.service']);
  expect(boot?.notes[0]?.text).toBe('x: entry 1 has a line that is not a field (and 1 more like it)');
});

test('warns about an export that ends inside a field', () => {
  const cut = Buffer.concat([exported([entry(1e6)]), Buffer.from('MESSAGE=half a li')]);
  const [boot] = journalExportSource.parse(memoryInput('x', cut));
  expect(boot?.notes.map((note) => note.text)).toEqual(['x: entry 2 is truncated']);
});

test('reads the entries before the cut, wherever the input is truncated', () => {
  const entries = Array.from({ length: 6 }, (_, i) =>
    entry((i + 1) * 1e6, { MESSAGE_ID: DONE, UNIT: `u${i}.service`, MESSAGE: 'a\nb' }),
  );
  const bytes = exported(entries);
  const ends = entries.map((_, i) => exported(entries.slice(0, i + 1)).length);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length }), (cut) => {
      const whole = ends.filter((end) => end <= cut).length;
      const seen = journalExportSource.parse(memoryInput('cut', bytes.subarray(0, cut)))[0]?.units ?? [];
      const names = seen.map((u) => u.name);
      for (let i = 0; i < whole; i++) expect(names).toContain(`u${i}.service`);
    }),
  );
});

sourceSuite(
  journalExportSource,
  Buffer.concat(Array(3).fill(exported([entry(24_532_010, { BLOB: 'a\nb=c', MESSAGE: 'x' })]))),
);
