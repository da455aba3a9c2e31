import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aConfig } from '../document/configs.testing.ts';
import type { NodeHealth, UnitHealth, Watch } from './contract.ts';
import { type HealthHistory, type HealthSample, type HealthVerdict, judgeHealth } from './health.ts';

const watch: Watch = {
  number: 2,
  sinceMs: 1_000_000,
  kubeletSinceMs: 1_000_000,
  bootId: 'b',
  units: ['containerd.service', 'kubelet.service'],
  ranBefore: [],
  wasApiReachable: true,
  kubeletConfig: { maxPods: 110, clusterDNS: ['10.0.0.10'], syncFrequency: '60s', nested: { a: true } },
  backTo: 1,
};
const policy = aConfig().update.health;
const { readyWithinMs, commitAfterMs } = policy;
const active: UnitHealth = { state: 'active', restarts: 0 };

function sample(over: Partial<HealthSample> = {}): HealthSample {
  return {
    nowMs: watch.sinceMs,
    units: new Map(watch.units.map((unit) => [unit, active])),
    doesRuntimeAnswer: true,
    isKubeletHealthy: true,
    kubeletConfig: undefined,
    node: { isReachable: true, isReady: true, heartbeatMs: watch.sinceMs + 1 },
    ...over,
  };
}

function judgeAll(samples: readonly HealthSample[], watching = watch): HealthVerdict {
  let last: HealthVerdict | undefined;
  for (const one of samples) {
    last = judgeHealth(one, watching, policy, last?.history);
    if (last.decision !== 'watch') break;
  }
  return last!;
}

/** One sample every ten seconds. */
const during = (ms: number, over: (atMs: number) => Partial<HealthSample>) =>
  Array.from({ length: ms / 10_000 + 1 }, (_, i) => sample({ nowMs: watch.sinceMs + i * 10_000, ...over(i * 10_000) }));

describe('canMovePods', () => {
  const kubelet = (state: UnitHealth['state'], restarts = 0) =>
    new Map<string, UnitHealth>([...sample().units, ['kubelet.service', { state, restarts }]]);
  const other = new Map<string, UnitHealth>([
    ...sample().units,
    ['log-shipper.service', { state: 'failed', restarts: 0 }],
  ]);

  it.each<[string, Partial<HealthSample>, boolean]>([
    ['is true for a healthy node', {}, true],
    ['is true if only another unit fails', { units: other }, true],
    ['is true if the API server is overloaded', { node: { isReachable: true, isReady: undefined } }, true],
    ['is false without an API server', { node: { isReachable: false } }, false],
    ['is false for a node that is not Ready', { node: { isReachable: true, isReady: false, heartbeatMs: 1 } }, false],
    [
      'is false if kubelet sent no heartbeat since its restart',
      { node: { isReachable: true, isReady: true, heartbeatMs: 1 } },
      false,
    ],
    ['is false if kubelet is not healthy', { isKubeletHealthy: false }, false],
    ['is false if kubelet does not run', { units: kubelet('starting') }, false],
    ['is false without a runtime', { doesRuntimeAnswer: false }, false],
  ])('%s', (_, over, canMovePods) => {
    const watching = { ...watch, units: [...watch.units, 'log-shipper.service'] };
    expect(judgeHealth(sample(over), watching, policy, undefined).canMovePods).toBe(canMovePods);
  });

  it('is false during a crash loop of kubelet, even if a sample between two crashes is healthy', () => {
    const crashing = during(60_000, (atMs) => ({ units: kubelet('active', atMs / 1000) }));
    expect(judgeAll(crashing)).toMatchObject({ code: 'verify/crash-loop', canMovePods: false });
  });
});

describe('judgeHealth', () => {
  it('returns good after commitAfterMs, and not before', () => {
    expect(judgeAll(during(commitAfterMs - 10_000, () => ({}))).decision).toBe('watch');
    expect(judgeAll(during(commitAfterMs, () => ({}))).decision).toBe('good');
  });

  it('starts counting again after a problem, and forgives a problem that ends', () => {
    const lapse = (atMs: number) => ({ isKubeletHealthy: atMs !== 200_000 });
    expect(judgeAll(during(commitAfterMs, lapse)).decision).toBe('watch');
    expect(judgeAll(during(200_000 + commitAfterMs + 10_000, lapse)).decision).toBe('good');
  });

  it.each<[string, Partial<HealthSample>, string]>([
    ['a unit is down', { units: new Map([['containerd.service', active]]) }, 'verify/unit-failed'],
    ['containerd does not answer', { doesRuntimeAnswer: false }, 'verify/runtime-silent'],
    ['kubelet is not healthy', { isKubeletHealthy: false }, 'verify/kubelet-unhealthy'],
    ['kubelet runs a different configuration', { kubeletConfig: { maxPods: 50 } }, 'verify/kubelet-unhealthy'],
    [
      'the node is not Ready',
      { node: { isReachable: true, isReady: false, heartbeatMs: 9e15 } },
      'verify/node-not-ready',
    ],
    [
      'the node never registered',
      { node: { isReachable: true, isReady: false, heartbeatMs: undefined } },
      'verify/node-not-ready',
    ],
    [
      'the last heartbeat is older than the change',
      { node: { isReachable: true, isReady: true, heartbeatMs: watch.sinceMs - 1 } },
      'verify/node-not-ready',
    ],
    ['the API server is unreachable', { node: { isReachable: false } }, 'verify/api-unreachable'],
  ])('gives up when %s for too long, and not before', (_what, over, code) => {
    const early = judgeAll(during(readyWithinMs - 10_000, () => over));
    expect([early.decision, early.code]).toEqual(['watch', code]);
    const late = judgeAll(during(readyWithinMs, () => over));
    expect([late.decision, late.code]).toEqual(['give-up', code]);
  });

  it('gives up immediately when systemd reports a failed unit', () => {
    const units = new Map<string, UnitHealth>([['containerd.service', { state: 'failed', restarts: 0 }]]);
    expect(judgeAll([sample({ units })])).toMatchObject({ decision: 'give-up', code: 'verify/unit-failed' });
  });

  it('accepts a heartbeat of the same second, because heartbeats have no fractions', () => {
    const late = { ...watch, kubeletSinceMs: watch.sinceMs + 999 };
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: watch.sinceMs };
    expect(judgeAll([sample({ node })], late).code).toBe('verify/running');
  });

  it('needs no new heartbeat if kubelet was not restarted, because it may send none for minutes', () => {
    const { kubeletSinceMs: _, ...live } = watch;
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: 1 };
    expect(
      judgeAll(
        during(commitAfterMs, () => ({ node })),
        live,
      ).decision,
    ).toBe('good');
  });

  it('accepts any heartbeat after the clock was set back', () => {
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: 400 };
    expect(judgeAll([sample({ nowMs: 500, node })]).code).toBe('verify/running');
  });

  it('waits without a deadline for a node that was not Ready before the change', () => {
    const node: NodeHealth = { isReachable: true, isReady: false, heartbeatMs: 9e15 };
    const judgement = judgeAll(
      during(4 * readyWithinMs, () => ({ node })),
      { ...watch, wasNotReady: true },
    );
    expect([judgement.decision, judgement.code]).toEqual(['watch', 'verify/node-not-ready']);
  });

  const busy: NodeHealth = { isReachable: true, isReady: undefined };
  const gone: NodeHealth = { isReachable: false };
  const down: NodeHealth = { isReachable: true, isReady: false, heartbeatMs: 9e15 };

  it('waits while the API server is overloaded, and does not count that time against the node', () => {
    const waiting = judgeAll(during(100 * readyWithinMs, () => ({ node: busy })));
    expect([waiting.decision, waiting.code, waiting.isWell]).toEqual(['watch', 'verify/running', false]);
    const decided = (ms: number) =>
      judgeAll(during(ms, (atMs) => ({ node: atMs <= 2 * readyWithinMs ? busy : down }))).decision;
    expect([decided(3 * readyWithinMs - 10_000), decided(3 * readyWithinMs)]).toEqual(['watch', 'give-up']);
  });

  it('gives up a change made before kubelet started after 15 minutes without an answer of the API server', () => {
    const early = { ...watch, wasApiReachable: false, wasApiReachableEarlier: true };
    const limit = 15 * 60_000;
    const silent = (ms: number) =>
      judgeAll(
        during(ms, () => ({ node: gone })),
        early,
      );
    expect(silent(limit - 10_000).decision).toBe('watch');
    expect(silent(limit)).toMatchObject({ decision: 'give-up', code: 'verify/api-unreachable' });
    const answered = judgeAll(
      during(2 * limit - 20_000, (atMs) => ({ node: atMs === limit - 10_000 ? busy : gone })),
      early,
    );
    expect(answered.decision).toBe('watch');
  });

  it('accepts values that kubelet formats differently', () => {
    const kubeletConfig = { maxPods: 110, clusterDNS: [], syncFrequency: '1m0s', nested: { a: true, b: 1 }, other: 3 };
    expect(judgeAll([sample({ kubeletConfig })]).code).toBe('verify/running');
  });

  it('ignores containerd and kubelet if they are not watched', () => {
    const bare = { ...watch, units: ['app.service'] };
    const nothing = { units: new Map([['app.service', active]]), doesRuntimeAnswer: false, isKubeletHealthy: false };
    const node: NodeHealth = { isReachable: false };
    expect(
      judgeAll(
        during(commitAfterMs, () => ({ ...nothing, node })),
        bare,
      ).decision,
    ).toBe('good');
  });

  it('counts neither restarts before the first sample nor manual restarts twice', () => {
    const restarted = (counts: number[]) =>
      counts.map((restarts, i) => {
        const units = new Map(watch.units.map((unit) => [unit, { state: 'active', restarts } as const]));
        return sample({ nowMs: watch.sinceMs + i * 1000, units });
      });
    expect(judgeAll(restarted([40, 40, 41, 42])).decision).toBe('watch');
    expect(judgeAll(restarted([40, 41, 42, 43]))).toMatchObject({ decision: 'give-up', code: 'verify/crash-loop' });
    expect(judgeAll(restarted([40, 0, 1, 2])).decision).toBe('watch');
    expect(judgeAll(restarted([40, 0, 1, 2, 3])).decision).toBe('give-up');
  });

  it('never decides because the clock was set', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 2 }), fc.boolean(), (jumps, isWell) => {
        const samples = jumps.map((nowMs) => sample({ nowMs, isKubeletHealthy: isWell }));
        expect(judgeAll([sample({ isKubeletHealthy: isWell }), ...samples]).decision).toBe('watch');
      }),
    );
  });

  it('keeps a bounded history', () => {
    let history: HealthHistory | undefined;
    for (let i = 0; i < 1000; i++) {
      const units = new Map(watch.units.map((unit) => [unit, { state: 'active', restarts: i % 3 } as const]));
      history = judgeHealth(sample({ nowMs: watch.sinceMs + i * 90_000, units }), watch, policy, history).history;
    }
    expect(history!.restarts.length).toBeLessThan(10);
  });
});
