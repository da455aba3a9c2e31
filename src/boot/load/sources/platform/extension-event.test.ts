import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { extensionEventSource } from './extension-event.ts';
import { provisionJsonSource } from './provision-json.ts';

const fixture = (name: string) =>
  memoryInput(name, readFileSync(new URL(`../../../fixtures/azure/${name}`, import.meta.url)));
const parse = (content: string | Uint8Array) => extensionEventSource.parse(memoryInput('e.json', content));
const at = (text: string) => Date.parse(text) * 1000;
const event = (more: object = {}) => ({
  Timestamp: '2026-11-15 21:09:50.120',
  OperationId: '2026-11-15 21:09:53.390',
  TaskName: 'AKS.CSE.ensureKubelet',
  EventLevel: 'Informational',
  Message: 'Completed: x',
  ...more,
});

test('one event file gives one task, from Timestamp to OperationId, in UTC', () => {
  const input = fixture('extension-event.json');
  expect(extensionEventSource.recognise(input)).toBeGreaterThan(0.9);
  expect(provisionJsonSource.recognise(input)).toBe(0);
  expect(extensionEventSource.parse(input)).toMatchObject([
    {
      clock: 'wall',
      spans: [
        {
          id: 'extension:AKS.CSE.ensureKubelet',
          startUs: at('2026-11-15T21:09:50.120Z'),
          endUs: at('2026-11-15T21:09:53.390Z'),
        },
      ],
      notes: [],
    },
  ]);
});

test('dotted names nest, and a task that only waits becomes a wait', () => {
  const [boot] = extensionEventSource.parse(fixture('extension-events.json'));
  expect(boot?.spans.map(({ id, parent, wait }) => [id, parent, wait])).toEqual([
    ['extension:AKS.CSE.ensureKubelet', undefined, undefined],
    ['extension:AKS.CSE.ensureKubelet.getPrimaryNicIP', 'extension:AKS.CSE.ensureKubelet', undefined],
    ['extension:AKS.Runtime.waitForTLSBootstrapping', undefined, 'extension: waiting for TLSBootstrapping'],
    ['extension:AKS.CSE.cse_start', undefined, undefined],
  ]);
});

test('the message of the summary event gives milestones', () => {
  const [boot] = extensionEventSource.parse(fixture('extension-events.json'));
  expect(boot?.milestones.map(({ name, atUs, errorUs }) => [name, atUs, errorUs])).toEqual([
    ['kernel-start', at('2026-11-15T21:07:58Z'), 1e6],
    ['cloud-init-activated', at('2026-11-15T21:08:22Z'), 1e6],
    ['guest-agent-started', at('2026-11-15T21:09:20Z'), 1e6],
    ['extension-started', at('2026-11-15T21:09:44Z'), 1e6],
    ['node-ready', at('2026-11-15T21:10:01Z'), 1e6],
  ]);
});

test('edge case 43: a time of exactly midnight means that the property was never set', () => {
  const [boot] = extensionEventSource.parse(fixture('extension-events.json'));
  expect(boot?.notes.map((note) => note.text).join()).toContain('CloudInitStartTime is exactly midnight');
});

test('edge case 45: keeps tasks of the same millisecond, and reports the overwritten parent of a task', () => {
  const [both] = parse(JSON.stringify([event(), event()]));
  expect(both?.spans.map((span) => span.id)).toEqual([
    'extension:AKS.CSE.ensureKubelet',
    'extension:AKS.CSE.ensureKubelet#2',
  ]);
  const [orphan] = parse(JSON.stringify([event(), event({ TaskName: 'AKS.CSE.installX.step' })]));
  expect(orphan?.notes[0]?.text).toContain(
    'events are missing (overwritten within one millisecond, or sent and deleted): AKS.CSE.installX',
  );
});

test('edge case 46: the exit code in the message wins over the result that the wrapper reports', () => {
  const [boot] = extensionEventSource.parse(fixture('extension-events.json'));
  expect(boot?.spans.at(-1)).toMatchObject({ name: 'AKS.CSE.cse_start', result: 'fail', detail: 'exit code 124' });
  expect(boot?.notes.map((note) => note.text).join()).toContain(
    'reports success, but its script ended with exit code 124',
  );
});

describe('edge case 47', () => {
  const shout = Object.fromEntries(Object.entries(event()).map(([key, value]) => [key.toUpperCase(), value]));
  const utf16 = Buffer.from(JSON.stringify(event()), 'utf16le');
  test.each([
    ['keys in any case', JSON.stringify(shout)],
    [
      'numbers, nulls, arrays and extra keys',
      JSON.stringify(event({ EventPid: 0, EventTid: null, Extra: { a: 1 }, Message: ['x'], EventLevel: null })),
    ],
    ['an array', JSON.stringify([event()])],
    ['one object per line', `${JSON.stringify(event())}\n`],
    ['UTF-8 with a byte order mark', `\ufeff${JSON.stringify(event())}`],
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['UTF-16 without a byte order mark', utf16],
    ['UTF-16 big endian', Buffer.from(utf16).swap16()],
  ])('edge case 47: %s', (_, content) => {
    expect(extensionEventSource.recognise(memoryInput('x', content))).toBeGreaterThan(0.5);
    expect(parse(content)[0]?.spans).toMatchObject([
      { name: 'AKS.CSE.ensureKubelet', endUs: at('2026-11-15T21:09:53.390Z') },
    ]);
  });
});

test('warns about a line that is not JSON and about an event without a time, by line number', () => {
  const [boot] = parse(`${JSON.stringify(event())}\n{"TaskName":\n${JSON.stringify({ TaskName: 'x' })}\n`);
  expect(boot?.spans).toHaveLength(1);
  expect(boot?.notes.map((note) => note.text)).toEqual([
    'e.json: line 2 is not JSON',
    'e.json: line 3 is not an extension event (no task name, or no time)',
  ]);
});

test('a task that ends before it starts gets no negative length', () => {
  const [boot] = parse(JSON.stringify(event({ OperationId: '2026-11-15 20:00:00.000' })));
  expect(boot?.spans[0]?.endUs).toBe(boot?.spans[0]?.startUs);
  expect(boot?.notes[0]?.text).toContain('the clock was set in between');
});

test('copies no message', () => {
  expect(JSON.stringify(parse(JSON.stringify(event({ Message: 'token=abc' }))))).not.toContain('token=abc');
});

sourceSuite(extensionEventSource, fixture('extension-events.json').bytes());
