import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NodeSteps, renderSteps, type TimedStep } from '../../../../node/status/steps-file.ts';
import { everySpan, unitSpanId } from '../../../model/all-spans.ts';
import { evidence } from '../../../model/evidence.ts';
import { mergeEvidence } from '../../../model/merge-evidence.ts';
import { memoryInput } from '../../input.ts';
import { recognise } from '../../load.ts';
import { nodeStepsSource } from './node-steps.ts';

const BOOT_ID = '46bc72e7-a99d-4d42-9784-493dd92e074f';
const SECOND = 1_000_000;

function step(name: string, startUs: number, tookUs: number, more: Partial<TimedStep> = {}): TimedStep {
  return { name, startUs, tookUs, isOk: true, ...more };
}

const FIRST_BOOT = [
  step('start', 4 * SECOND, 60_000),
  step('load', 4_060_000, 40_000),
  step('fetch', 4_100_000, 200_000, { detail: 'azure metadata' }),
  step('read', 4_300_000, 20_000),
  step('apply/write-files', 4_330_000, 30_000),
  step('apply', 4_320_000, 100_000, { generation: 7 }),
  step('ready', 4_420_000, 10_000),
];

/** Uses the code that writes the file on a node. */
function stepsFile(steps: readonly TimedStep[]): string {
  const file: NodeSteps = {
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeSteps',
    bootId: BOOT_ID,
    anchor: { monotonicUs: 10 * SECOND, wallUs: 1_800_000_010 * SECOND },
    steps,
  };
  return renderSteps(file);
}

const read = (text: string) => nodeStepsSource.parse(memoryInput('steps.json', text))[0]!;
const idsOf = (steps: readonly TimedStep[]) => read(stepsFile(steps)).spans.map(({ id }) => id);

describe('nodeStepsSource', () => {
  it('recognises a steps file and gives spans on the monotonic clock', () => {
    expect(recognise(memoryInput('steps.json', stepsFile(FIRST_BOOT)))?.kind).toBe('node-steps');
    const { spans, ...rest } = read(stepsFile(FIRST_BOOT));
    expect(rest).toMatchObject({
      clock: 'monotonic',
      bootId: BOOT_ID.replaceAll('-', ''),
      anchors: [{ monotonicUs: 10 * SECOND, wallUs: 1_800_000_010 * SECOND, errorUs: 1000 }],
      notes: [],
    });
    expect(spans.find(({ name }) => name === 'apply')).toEqual({
      id: 'node-config:apply',
      name: 'apply',
      source: 'node-config',
      unit: 'headstart-node.service',
      startUs: 4_320_000,
      endUs: 4_420_000,
      result: 'ok',
      detail: 'generation 7',
    });
    expect(spans.find(({ name }) => name === 'apply/write-files')).toMatchObject({ parent: 'node-config:apply' });
  });

  it('labels waiting for the platform as a wait', () => {
    const waits = read(stepsFile(FIRST_BOOT)).spans.filter(({ wait }) => wait !== undefined);
    expect(waits.map(({ name }) => name)).toEqual(['fetch']);
  });

  it('places steps inside the unit of the daemon when merged with the rest of the boot', () => {
    const systemd = evidence({
      kind: 'systemctl-units',
      input: 'units.txt',
      clock: 'monotonic',
      bootId: BOOT_ID.replaceAll('-', ''),
      units: [
        {
          name: 'headstart-node.service',
          activatingUs: 3_990_000,
          activatedUs: 4_431_000,
          deactivatingUs: 0,
          deactivatedUs: 0,
          after: [],
        },
      ],
    });
    const [record] = mergeEvidence([{ isFolder: true, evidence: [systemd, read(stepsFile(FIRST_BOOT))] }]);
    const apply = everySpan(record!).find(({ id }) => id === 'node-config:apply');
    expect(apply?.parent).toBe(unitSpanId('headstart-node.service'));
  });

  it('ignores an update hours after the boot', () => {
    const update = FIRST_BOOT.map((one) => ({ ...one, startUs: one.startUs + 9000 * SECOND }));
    const watch = [step('verify', 5 * SECOND, 300 * SECOND), step('commit', 305 * SECOND, 1000)];
    const ids = idsOf([...FIRST_BOOT, ...watch, ...update, ...watch]);
    expect(ids).toEqual([...idsOf(FIRST_BOOT), 'node-config:verify', 'node-config:commit']);
  });

  it('warns about a failed step, and keeps all steps of a boot that never became ready', () => {
    const failed = step('apply', 4_320_000, 1000, { isOk: false, generation: 8, detail: 'apply/disk-full' });
    const found = read(stepsFile([step('fetch', 4_100_000, 200_000), failed]));
    expect(found.spans).toHaveLength(2);
    expect(found.notes).toEqual([
      {
        level: 'warning',
        text: 'steps.json: the step apply of headstart node failed: generation 8, apply/disk-full',
      },
    ]);
  });

  it.each([
    ['a truncated file', stepsFile(FIRST_BOOT).slice(0, 300)],
    ['another apiVersion', stepsFile(FIRST_BOOT).replace('headstart.dev/v1', 'headstart.dev/v9')],
    ['no steps', '{"apiVersion":"headstart.dev/v1","kind":"NodeSteps"}'],
    ['an array', '[]'],
  ])('gives only a warning for %s', (_, text) => {
    expect(read(text)).toMatchObject({ spans: [], notes: [{ level: 'warning' }] });
  });

  it('skips invalid steps', () => {
    const odd = [step('', 1, 1), step('a\nb', 1, 1), step('x', -1, 1), step('y', 1, Number.NaN), step('z', 1e17, 1)];
    expect(idsOf([...odd, step('read', 1, 1)])).toEqual(['node-config:read']);
  });

  it('never throws, and never gives a span that ends before it starts', () => {
    fc.assert(
      fc.property(fc.array(fc.object()), fc.json(), fc.string(), (steps, json, rest) => {
        const kind = '{"apiVersion":"headstart.dev/v1","kind":"NodeSteps"';
        for (const text of [`${kind},"steps":${JSON.stringify(steps)}}`, `${kind},"steps":[${json}]}`, kind + rest]) {
          for (const { startUs, endUs } of read(text).spans) expect(endUs).toBeGreaterThanOrEqual(startUs);
        }
      }),
    );
  });
});
