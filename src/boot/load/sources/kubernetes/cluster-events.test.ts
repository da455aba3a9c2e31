import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../input.ts';
import { recognise } from '../../load.ts';
import { openInputs } from '../../open-inputs.ts';
import { type ClusterEventsHead, clusterEventsSource } from './cluster-events.ts';

const NOON_MS = Date.UTC(2026, 10, 16, 12);
const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';
const bundle = fileURLToPath(new URL('../../../fixtures/boots/node-boot.tar.gz', import.meta.url));
const [group] = await openInputs(bundle, () => new Uint8Array());
const input = group!.inputs.find(({ name }) => name.endsWith('cluster-events.jsonl'))!;
const recorded = Buffer.from(input.bytes()).toString();

function head(more: Partial<ClusterEventsHead> = {}): ClusterEventsHead {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ClusterEvents',
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
    ...more,
  };
}
const at = (s: number, event: string, more: object = {}) => ({
  atMs: NOON_MS + s * 1000,
  event,
  name: 'pool-000001',
  uid: 'n',
  ...more,
});
const JOINED = [
  at(28.4, 'csr-created', { name: 'node-csr-1', uid: 'r' }),
  at(28.42, 'csr-approved', { name: 'node-csr-1', uid: 'r' }),
  at(28.43, 'csr-issued', { name: 'node-csr-1', uid: 'r' }),
  at(31.1, 'node-registered'),
  at(33.3, 'node-ready'),
  at(33.32, 'node-schedulable'),
  at(33.4, 'pod-bound', { name: 'default/a', uid: 'p' }),
  at(41.9, 'pod-running', { name: 'default/a', uid: 'p' }),
];
const textOf = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const read = (text: string) => clusterEventsSource.parse(memoryInput('c', text))[0]!;
/** Seconds after noon on the guest's clock, which is ten seconds ahead. */
const seconds = (us: number) => us / 1e6 - NOON_MS / 1000 - 10;

describe('clusterEventsSource', () => {
  it('recognises recorded events with and without the head line', () => {
    expect(recognise(memoryInput('c', recorded))?.kind).toBe('cluster-events');
    expect(recognise(memoryInput('c', recorded.slice(recorded.indexOf('\n') + 1)))?.kind).toBe('cluster-events');
    expect(recognise(memoryInput('c', textOf(at(1, 'pod-bound', { errorMs: 3 }))))?.kind).toBe('cluster-events');
    expect(read(recorded)).toMatchObject({ notes: [], host: { nodeName: 'img-000001' } });
    expect(read(recorded).milestones.map(({ name, errorUs }) => [name, errorUs])).toEqual([
      ['node-registered', 1_500],
      ['node-ready', 1_500],
    ]);
  });

  it('converts events to the guest clock, with the error of the clock comparison', () => {
    const { milestones, spans, host, clock, notes } = read(textOf(head(), ...JOINED));
    expect(clock).toBe('wall');
    expect(host).toEqual({ vmId: '6f4b1c5e-0c0e-4c3b-9a59-2f1f4c1d8a77', nodeName: 'pool-000001' });
    expect(notes).toEqual([]);
    expect(milestones.map(({ name, atUs, errorUs }) => [name, seconds(atUs).toFixed(3), errorUs])).toEqual([
      ['node-registered', '31.100', 21_000],
      ['node-ready', '33.300', 21_000],
      ['pod-running', '41.900', 21_000],
    ]);
    expect(spans.map(({ id, startUs, endUs, wait }) => [id, (endUs - startUs) / 1000, wait !== undefined])).toEqual([
      ['cluster:certificate', 30, true],
      ['cluster:become-ready', 2_200, false],
      ['cluster:first-pod', 8_500, false],
    ]);
  });

  it('adds the error of the watch', () => {
    const { milestones } = read(textOf(head(), at(31, 'node-registered', { errorMs: 2_250 })));
    expect(milestones[0]!.errorUs).toBe(2_250_000 + 21_000);
  });

  it('starts the first pod at Ready if it was bound before', () => {
    const { spans } = read(
      textOf(head(), at(20, 'pod-bound', { uid: 'p' }), at(33, 'node-ready'), at(40, 'pod-running', { uid: 'p' })),
    );
    expect(spans.map(({ id, startUs, endUs }) => [id, (endUs - startUs) / 1e6])).toEqual([['cluster:first-pod', 7]]);
  });

  it('accepts a Node that already existed, and ignores a deleted Node with another uid', () => {
    const returned = read(textOf(head(), at(20, 'node-returned'), at(21, 'node-ready')));
    expect(returned.milestones[0]).toMatchObject({ name: 'node-registered', detail: 'the Node already existed' });
    const again = read(
      textOf(
        head(),
        at(20, 'node-registered', { uid: 'x' }),
        at(21, 'node-deleted', { uid: 'x' }),
        at(25, 'node-registered'),
        at(26, 'node-ready'),
      ),
    );
    expect(seconds(again.milestones[0]!.atUs)).toBeCloseTo(25);
    expect(again.notes.map(({ text }) => text)).toEqual(['c: the Node was deleted while the node was joining']);
  });

  it('warns about a denied certificate request', () => {
    const denied = at(20, 'csr-denied', { uid: 'r', detail: 'Because: no' });
    expect(read(textOf(head(), denied, { ...denied, uid: 's' })).notes.map(({ text }) => text)).toEqual([
      'c: a certificate request was denied (2 times): Because: no',
    ]);
  });

  it('edge case 53: ignores events before the VM started or before the guest restarted', () => {
    expect(read(textOf(head(), at(-1, 'node-ready'))).milestones).toEqual([]);
    const { clock } = head();
    const restarted = { ...clock, uptimeMs: 20_000 };
    expect(read(textOf(head({ clock: restarted }), ...JOINED)).milestones.map(({ name }) => name)).toEqual([
      'pod-running',
    ]);
  });

  it('edge case 54: assumes that both clocks agree without a clock comparison, and warns', () => {
    const { milestones, notes } = read(textOf(...JOINED));
    expect(milestones[1]).toMatchObject({ atUs: (NOON_MS + 33_300) * 1000, errorUs: 1_000_000 });
    expect(notes).toHaveLength(1);
    const { clock } = head();
    const setBack = read(textOf(head({ clock: { ...clock, hostAfterMs: clock.hostBeforeMs - 1 } }), ...JOINED));
    expect(setBack.notes[0]!.text).toContain('set back');
  });

  it('skips broken lines, and warns with their numbers', () => {
    const { milestones, notes } = read(
      `${textOf(head(), at(31, 'node-registered'))}{"atMs":1,"ev\n\n${textOf(at(33, 'node-ready'))}`,
    );
    expect(milestones).toHaveLength(2);
    expect(notes.map(({ text }) => text)).toEqual(['c: line 3 is not a cluster event']);
    expect(read('x\n'.repeat(100_000)).notes.length).toBeLessThanOrEqual(10);
  });

  it('places events within the stated error for any pair of clocks', () => {
    const ms = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.nat(10_000),
        fc.nat(100_000),
        fc.nat(5_000),
        (hostMs, guestMs, widthMs, agoMs, errorMs) => {
          const clock = { guestMs, hostBeforeMs: hostMs, hostAfterMs: hostMs + widthMs };
          const atMs = Math.max(0, hostMs - agoMs);
          const text = textOf(head({ clock, startedMs: 0 }), { atMs, errorMs, event: 'node-ready', name: 'n' });
          const [ready] = read(text).milestones;
          for (const readMs of [hostMs, hostMs + widthMs]) {
            const truthUs = (atMs + errorMs + guestMs - readMs) * 1000;
            expect(Math.abs(ready!.atUs - truthUs)).toBeLessThanOrEqual(ready!.errorUs!);
          }
        },
      ),
    );
  });
});
