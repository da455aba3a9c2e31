import { describe, expect, it } from 'vitest';
import { recordSteps, renderSteps, type TimedStep } from './steps-file.ts';

function clocks() {
  let nowUs = 3_000_000;
  return {
    pass: (us: number) => {
      nowUs += us;
    },
    monotonicUs: () => nowUs,
    wallUs: () => 1_800_000_000_000_000 + nowUs,
    bootId: '0d6ad1b5-0000-4000-8000-000000000001',
  };
}

describe('the steps of the daemon', () => {
  it('have monotonic times, also when they fail', async () => {
    const clock = clocks();
    const recorder = recordSteps(clock);
    await recorder.time(
      'fetch',
      async () => {
        clock.pass(41_000);
        return 7;
      },
      (generation) => ({ generation, detail: 'Azure userData' }),
    );
    const failing = recorder.time('apply', async () => {
      clock.pass(10);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(JSON.parse(renderSteps(recorder.steps()))).toEqual({
      apiVersion: 'headstart.dev/v1',
      kind: 'NodeSteps',
      bootId: clock.bootId,
      anchor: { monotonicUs: 3_041_010, wallUs: 1_800_000_003_041_010 },
      steps: [
        { name: 'fetch', startUs: 3_000_000, tookUs: 41_000, isOk: true, generation: 7, detail: 'Azure userData' },
        { name: 'apply', startUs: 3_041_000, tookUs: 10, isOk: false },
      ],
    });
  });

  it('are limited to the first ones of the boot and the latest ones', () => {
    const recorder = recordSteps(clocks());
    const step = (startUs: number): TimedStep => ({ name: 'fetch', startUs, tookUs: 1, isOk: true });
    for (let i = 0; i < 1000; i++) recorder.add(step(i));
    const kept = recorder.steps().steps.map(({ startUs }) => startUs);
    expect(kept).toHaveLength(256);
    expect(kept.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, i) => i));
    expect(kept.at(-1)).toBe(999);
  });
});
