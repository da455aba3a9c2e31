// Sources are total: any bytes, as any kind, give an answer and never an exception.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../model/evidence.ts';
import { memoryInput } from '../input.ts';
import { hostFactsSource } from './host-facts.ts';
import { kubernetesNodeSource } from './kubernetes/kubernetes-node.ts';
import { dmesgSource } from './logs/dmesg.ts';
import { journalExportSource } from './logs/journal-export.ts';
import { journalJsonSource } from './logs/journal-json.ts';
import { journalTextSource } from './logs/journal-text.ts';
import { extensionEventSource } from './platform/extension-event.ts';
import { kvpSource } from './platform/kvp.ts';
import { provisionJsonSource } from './platform/provision-json.ts';
import type { Source } from './source.ts';

const azure = (name: string) => readFileSync(new URL(`../../fixtures/azure/${name}`, import.meta.url));
const kubernetes = (name: string) => readFileSync(new URL(`../../fixtures/kubernetes/${name}`, import.meta.url));
const JOURNAL_LINE = `{"__REALTIME_TIMESTAMP":"1794776903294436","__MONOTONIC_TIMESTAMP":"24532010","_BOOT_ID":"${'a'.repeat(32)}","_PID":"1","MESSAGE_ID":"39f53479d3a045ac8e11786248231fbf","UNIT":"a.service","MESSAGE":"x"}\n`;
const EXPORT_ENTRY = `__REALTIME_TIMESTAMP=1794776903294436\n__MONOTONIC_TIMESTAMP=24532010\n_BOOT_ID=${'a'.repeat(32)}\nBLOB\n\x05\0\0\0\0\0\0\0a\nb=c\nMESSAGE=x\n\n`;

/** A valid sample of each kind, to be damaged. */
const CASES: [Source, Uint8Array][] = [
  [journalJsonSource, Buffer.from(JOURNAL_LINE.repeat(3))],
  [journalExportSource, Buffer.from(EXPORT_ENTRY.repeat(3))],
  [journalTextSource, kubernetes('kubelet.txt')],
  [journalTextSource, azure('waagent.log')],
  [
    dmesgSource,
    Buffer.from('<6>[    0.000000] Linux version 6.1\n[    1.000000] systemd[1]: Starting a.service - A...\n'),
  ],
  [kvpSource, azure('kvp-pool.bin')],
  [extensionEventSource, azure('extension-events.json')],
  [provisionJsonSource, azure('provision.json')],
  [kubernetesNodeSource, kubernetes('node.json')],
  [kubernetesNodeSource, kubernetes('nodes.yaml')],
  [hostFactsSource, Buffer.from('ID=debian\nPRETTY_NAME="Debian"\n')],
];

function isSound(evidence: Evidence): void {
  for (const span of evidence.spans) {
    expect(Number.isFinite(span.startUs) && Number.isFinite(span.endUs)).toBe(true);
    expect(span.endUs).toBeGreaterThanOrEqual(span.startUs);
  }
  for (const milestone of evidence.milestones) expect(Number.isFinite(milestone.atUs)).toBe(true);
  for (const anchor of evidence.anchors) expect(Number.isFinite(anchor.wallUs - anchor.monotonicUs)).toBe(true);
  for (const unit of evidence.units ?? []) expect(unit.activatingUs).toBeGreaterThanOrEqual(0);
}

async function check(source: Source, bytes: Uint8Array): Promise<void> {
  const input = memoryInput('any', bytes);
  const sureness = source.recognise(input);
  expect(sureness).toBeGreaterThanOrEqual(0);
  expect(sureness).toBeLessThanOrEqual(1);
  for (const evidence of await source.parse(input, { nowUs: 1_794_800_000e6 })) isSound(evidence);
}

/** Flip, cut, repeat and insert: what disks, terminals and people do to a file. */
const damage = fc.record({
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 8 }),
  insert: fc.uint8Array({ maxLength: 12 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe.each(CASES)('$kind', (source, sample) => {
  test('any bytes', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), (bytes) => check(source, bytes)));
  });

  test('any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => check(source, Buffer.from(text))),
    );
  });

  test('any JSON', async () => {
    await fc.assert(fc.asyncProperty(fc.json(), (text) => check(source, Buffer.from(text))));
  });

  test('a damaged sample', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ cut, flips, insert, at }) => {
        const bytes = Buffer.from(sample);
        for (const [where, byte] of flips) bytes[Math.floor(where * (bytes.length - 1))] = byte;
        const place = Math.floor(at * bytes.length);
        const whole = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place)]);
        await check(source, whole.subarray(0, Math.ceil(cut * whole.length)));
      }),
    );
  });

  test('the sample itself, recognised as what it is', async () => {
    await check(source, sample);
    const input = memoryInput('sample', sample);
    const surest = CASES.map(([other]) => other).reduce((a, b) => (b.recognise(input) > a.recognise(input) ? b : a));
    expect(surest.kind).toBe(source.kind);
    expect((await source.parse(input, { nowUs: 1_794_800_000e6 })).length).toBeGreaterThan(0);
  });
});
