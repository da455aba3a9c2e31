import { describe, expect, it } from 'vitest';
import { banner, bootsIn, finishedBanner, report, stageLog, stampAt } from './testing.ts';
import { isSingleProcess, toEvidence } from './to-evidence.ts';

const evidenceOf = (log: string) => toEvidence(bootsIn(log)[0]!, { kind: 'cloud-init-log', input: 'c.log' });
const at = (seconds: number) => (Date.UTC(2026, 10, 15, 21) + seconds * 1000) * 1000;

describe('toEvidence', () => {
  it.each([
    ['init-local', 'cloud-init-local.service'],
    ['init-network', 'cloud-init.service'],
    ['modules-config', 'cloud-config.service'],
    ['modules-final', 'cloud-final.service'],
    ['single', undefined],
  ])('gives the stage %s, run by %s, with its steps', (stage, unit) => {
    const { spans } = evidenceOf(stageLog(stage, 0));
    expect(spans).toMatchObject([
      { id: `cloud-init:${stage}`, startUs: at(0), endUs: at(4), result: 'ok' },
      { id: `cloud-init:${stage}/config-a`, parent: `cloud-init:${stage}`, startUs: at(1), endUs: at(3) },
    ]);
    for (const span of spans) expect(span.unit).toBe(unit);
  });

  it('gives the results of steps', () => {
    const result = (word: string) => evidenceOf(stageLog('init-local', 0).replaceAll('SUCCESS', word)).spans[0]!.result;
    expect(['SUCCESS', 'WARN', 'FAIL', 'OTHER'].map(result)).toEqual(['ok', 'warn', 'fail', undefined]);
  });

  it('ends a step without a finish at the last event, with a note', () => {
    const log = banner(stampAt(0), 'init-local', 5) + report(stampAt(2), 'start: init-local/a: a');
    expect(evidenceOf(`${log}${report(stampAt(7), 'start: init-local/b: b')}`).spans).toMatchObject([
      { endUs: at(7), detail: 'its finish is not in this log' },
      { name: 'init-local/a', endUs: at(7), detail: 'a; its finish is not in this log' },
      { name: 'init-local/b', endUs: at(7) },
    ]);
  });

  it('takes the length of a stage without a finish from the time of its process', () => {
    const took = (seconds: number, mode: string, s: number) =>
      `${stampAt(seconds)} - util.py[DEBUG]: cloud-init mode '${mode}' took ${s} seconds (${s})\n`;
    const log = [
      banner(stampAt(0), 'init-local', 5) + took(1, 'init', 0.051),
      banner(stampAt(20), 'init-network', 25) + took(21, 'init', 0.628),
      banner(stampAt(22), 'modules-config', 27) + took(55, 'modules', 31.799),
    ].join('');
    const { spans, notes } = evidenceOf(log);
    expect(spans.map(({ name, startUs, endUs }) => [name, endUs - startUs])).toEqual([
      ['init-local', 51_000],
      ['init-network', 628_000],
      ['modules-config', 31_799_000],
    ]);
    expect(notes).toEqual([]);
  });

  it('gives no span for a stage whose end is unknown, but warns with its name', () => {
    const log = banner(stampAt(0), 'init-local', 5) + banner(stampAt(34), 'init-network', 39);
    const { spans, notes } = evidenceOf(log + report(stampAt(40), 'start: init-network/a: a'));
    expect(spans.map(({ name }) => name)).toEqual(['init-network', 'init-network/a']);
    expect(notes[0]!.text).toBe('c.log: init-local starts but does not finish in this log; the duration is unknown');
  });

  it('counts a pause before a stage as time of the node: cloud-init waits for its other units', () => {
    const pause = `${stampAt(5)} - performance.py[DEBUG]: Waiting to start stage network took 3.244 seconds\n`;
    const { spans } = evidenceOf(stageLog('init-local', 0) + pause + stageLog('init-network', 6));
    const paused = spans.find(({ name }) => name === 'wait-network')!;
    expect(paused.endUs - paused.startUs).toBe(3_244_000);
    expect(paused.wait).toBeUndefined();
  });

  it('gives no span for steps that start in an older file, but warns with their number', () => {
    const log = report(stampAt(0), 'finish: init-local/a: SUCCESS: a') + stageLog('init-network', 2);
    const { spans, notes, milestones } = evidenceOf(log);
    expect(spans.map(({ name }) => name)).toEqual(['init-network', 'init-network/config-a']);
    expect(milestones).toEqual([]);
    expect(notes[0]!.text).toContain('c.log: 1 steps of cloud-init finish but do not start in this log');
  });

  it('places stages by their uptimes and the time of their processes if the stamps are in whole seconds', () => {
    const line = (second: string, text: string) => `Aug 16 04:07:${second} cloud-init[2453]: ${text}\n`;
    const running = (second: string, stage: string, up: string) =>
      line(
        second,
        `util.py[DEBUG]: Cloud-init v. 19.3-44.amzn2 running '${stage}' at Mon, 16 Aug 2021 04:07:${second} +0000. Up ${up} seconds.`,
      );
    const log = [
      running('14', 'init-local', '6.86'),
      line('15', "util.py[DEBUG]: cloud-init mode 'init' took 0.104 seconds (0.10)"),
      line('15', 'handlers.py[DEBUG]: finish: init-local: SUCCESS: searching for local datasources'),
      running('19', 'modules:final', '11.08'),
      line('19', 'handlers.py[DEBUG]: start: modules-final/config-a: a'),
      line('25', 'handlers.py[DEBUG]: finish: modules-final/config-a: SUCCESS: a'),
      line('25', "util.py[DEBUG]: cloud-init mode 'modules' took 5.973 seconds (6.02)"),
      line('25', 'handlers.py[DEBUG]: finish: modules-final: SUCCESS: running modules for final'),
    ].join('');
    const { spans, monotonic, milestones, notes } = evidenceOf(log);
    expect(monotonic?.spans.map(({ name, startUs, endUs }) => [name, startUs, endUs])).toEqual([
      ['init-local', 6_860_000, 6_964_000],
      ['modules-final', 11_080_000, 17_100_000],
    ]);
    expect(monotonic?.milestones).toMatchObject([
      { name: 'cloud-init-started', atUs: 6_860_000, errorUs: 10_000 },
      { name: 'cloud-init-finished', atUs: 17_100_000, errorUs: 20_000 },
    ]);
    expect(milestones).toEqual([]);
    expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
      ['modules-final/config-a', 'cloud-init:modules-final'],
    ]);
    expect(notes[0]?.text).toMatch(/^c\.log: the stamps are in whole seconds/);
  });

  it('gives the start and the end of cloud-init, from its last stage or else from its last banner', () => {
    const names = (log: string) => evidenceOf(log).milestones.map(({ name, atUs }) => [name, atUs]);
    expect(names(stageLog('modules-final', 0) + finishedBanner(stampAt(9), 9))).toEqual([
      ['cloud-init-started', at(0)],
      ['cloud-init-finished', at(4)],
    ]);
    expect(names(stageLog('init-local', 0) + finishedBanner(stampAt(9), 9)).at(-1)).toEqual([
      'cloud-init-finished',
      at(9),
    ]);
    expect(names(stageLog('init-local', 0))).toHaveLength(1);
  });

  it('gives an anchor for every banner with an uptime', () => {
    const { anchors } = evidenceOf(stageLog('init-local', 0, 20) + stageLog('init-network', 10, 30));
    expect(anchors.map(({ monotonicUs }) => monotonicUs)).toEqual([20e6, 30e6]);
    for (const { wallUs, errorUs } of anchors) expect(wallUs + errorUs).toBeGreaterThan(wallUs);
  });
});

it.each([
  [undefined, false],
  ['22.4.2', false],
  ['24.2', false],
  ['24.3', true],
  ['25.1.4', true],
])('isSingleProcess of version %s is %s', (version, expected) => {
  expect(isSingleProcess(version)).toBe(expected);
});
