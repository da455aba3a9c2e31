// boot/load/sources/source.suite.ts: tests that every source must pass: parse arbitrary bytes without throwing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../model/evidence.ts';
import { memoryInput } from '../input.ts';
import { SOURCES } from './index.ts';
import type { EvidenceSource } from './source.ts';

const NOW_US = 1_794_800_000e6;

/** `sample` is a valid input of this kind; the suite also damages copies. */
export function sourceSuite(source: EvidenceSource, sample: string | Uint8Array, name = 'a sample'): void {
  const bytes = Buffer.from(sample as string);
  describe(`the source ${source.kind} with ${name}`, () => {
    test('accepts arbitrary bytes', async () => {
      await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), (any) => check(source, any)));
    });

    test('accepts arbitrary text', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => check(source, Buffer.from(text))),
      );
    });

    test('accepts arbitrary JSON', async () => {
      await fc.assert(fc.asyncProperty(fc.json(), (text) => check(source, Buffer.from(text))));
    });

    test('accepts a damaged sample', async () => {
      await fc.assert(fc.asyncProperty(damage, (how) => check(source, damaged(bytes, how))));
    });

    test('recognises the sample with the highest confidence of all sources, and parses it', async () => {
      await check(source, bytes);
      const input = memoryInput('sample', bytes);
      const surest = SOURCES.reduce((a, b) => (b.recognise(input) > a.recognise(input) ? b : a));
      expect(surest.kind).toBe(source.kind);
      expect((await source.parse(input, { nowUs: NOW_US })).length).toBeGreaterThan(0);
    });
  });
}

async function check(source: EvidenceSource, bytes: Uint8Array): Promise<void> {
  const input = memoryInput('any', bytes);
  const confidence = source.recognise(input);
  expect(confidence).toBeGreaterThanOrEqual(0);
  expect(confidence).toBeLessThanOrEqual(1);
  for (const evidence of await source.parse(input, { nowUs: NOW_US })) expectSound(evidence);
}

function expectSound(evidence: Evidence): void {
  for (const span of evidence.spans) {
    expect(Number.isFinite(span.startUs) && Number.isFinite(span.endUs)).toBe(true);
    expect(span.endUs).toBeGreaterThanOrEqual(span.startUs);
  }
  for (const milestone of evidence.milestones) expect(Number.isFinite(milestone.atUs)).toBe(true);
  for (const anchor of evidence.anchors) expect(Number.isFinite(anchor.wallUs - anchor.monotonicUs)).toBe(true);
  for (const unit of evidence.units ?? []) expect(unit.activatingUs).toBeGreaterThanOrEqual(0);
}

interface Damage {
  cut: number;
  flips: [where: number, byte: number][];
  insert: Uint8Array;
  at: number;
}

/** Flipped, missing and inserted bytes. */
const damage: fc.Arbitrary<Damage> = fc.record({
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 8 }),
  insert: fc.uint8Array({ maxLength: 12 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});

function damaged(sample: Uint8Array, { cut, flips, insert, at }: Damage): Uint8Array {
  const bytes = Buffer.from(sample);
  for (const [where, byte] of flips) bytes[Math.floor(where * (bytes.length - 1))] = byte;
  const place = Math.floor(at * bytes.length);
  const whole = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place)]);
  return whole.subarray(0, Math.ceil(cut * whole.length));
}
