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

function reading(over: Partial<HealthSample> = {}): HealthSample {
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

/** One look after the other. */
function judgeAll(readings: readonly HealthSample[], watching = watch): HealthVerdict {
  let last: HealthVerdict | undefined;
  for (const one of readings) {
    last = judgeHealth(one, watching, policy, last?.course);
    if (last.decision !== 'watch') break;
  }
  return last!;
}

/** Every ten seconds, for so long. */
const during = (ms: number, over: (atMs: number) => Partial<HealthSample>) =>
  Array.from({ length: ms / 10_000 + 1 }, (_, i) =>
    reading({ nowMs: watch.sinceMs + i * 10_000, ...over(i * 10_000) }),
  );

describe('pods', () => {
  const kubelet = (state: UnitHealth['state'], restarts = 0) =>
    new Map<string, UnitHealth>([...reading().units, ['kubelet.service', { state, restarts }]]);
  const other = new Map<string, UnitHealth>([
    ...reading().units,
    ['log-shipper.service', { state: 'failed', restarts: 0 }],
  ]);

  it.each<[string, Partial<HealthSample>, boolean]>([
    ['are moved from a node that is well', {}, true],
    ['are moved where only another unit fails', { units: other }, true],
    ['are moved once a busy API server has time', { node: { isReachable: true, isReady: undefined } }, true],
    ['are not moved without an API server', { node: { isReachable: false } }, false],
    [
      'are not moved from a node that is not Ready',
      { node: { isReachable: true, isReady: false, heartbeatMs: 1 } },
      false,
    ],
    [
      'are not moved by a kubelet that has not been heard of since',
      { node: { isReachable: true, isReady: true, heartbeatMs: 1 } },
      false,
    ],
    ['are not moved by a kubelet that is not healthy', { isKubeletHealthy: false }, false],
    ['are not moved by a kubelet that does not run', { units: kubelet('starting') }, false],
    ['are not moved without a runtime', { doesRuntimeAnswer: false }, false],
  ])('%s', (_, over, canMovePods) => {
    const watching = { ...watch, units: [...watch.units, 'log-shipper.service'] };
    expect(judgeHealth(reading(over), watching, policy, undefined).canMovePods).toBe(canMovePods);
  });

  it('are not moved by a kubelet that crashes over and over, whatever it says between two crashes', () => {
    const crashing = during(60_000, (atMs) => ({ units: kubelet('active', atMs / 1000) }));
    expect(judgeAll(crashing)).toMatchObject({ code: 'verify/crash-loop', canMovePods: false });
  });
});

describe('health', () => {
  it('is good for good after the time the document asks for, and not before', () => {
    expect(judgeAll(during(commitAfterMs - 10_000, () => ({}))).decision).toBe('watch');
    expect(judgeAll(during(commitAfterMs, () => ({}))).decision).toBe('good');
  });

  it('starts over with every lapse, and a lapse that ends is forgiven', () => {
    const lapse = (atMs: number) => ({ isKubeletHealthy: atMs !== 200_000 });
    expect(judgeAll(during(commitAfterMs, lapse)).decision).toBe('watch');
    expect(judgeAll(during(200_000 + commitAfterMs + 10_000, lapse)).decision).toBe('good');
  });

  it.each<[string, Partial<HealthSample>, string]>([
    ['a unit is down', { units: new Map([['containerd.service', active]]) }, 'verify/unit-failed'],
    ['containerd is silent', { doesRuntimeAnswer: false }, 'verify/runtime-silent'],
    ['kubelet is not healthy', { isKubeletHealthy: false }, 'verify/kubelet-unhealthy'],
    ['kubelet runs another configuration', { kubeletConfig: { maxPods: 50 } }, 'verify/kubelet-unhealthy'],
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
      'the last heartbeat is from before',
      { node: { isReachable: true, isReady: true, heartbeatMs: watch.sinceMs - 1 } },
      'verify/node-not-ready',
    ],
    ['the API server is gone', { node: { isReachable: false } }, 'verify/api-unreachable'],
  ])('is given up when %s for too long, and not before', (_what, over, code) => {
    const early = judgeAll(during(readyWithinMs - 10_000, () => over));
    expect([early.decision, early.code]).toEqual(['watch', code]);
    const late = judgeAll(during(readyWithinMs, () => over));
    expect([late.decision, late.code]).toEqual(['give-up', code]);
  });

  it('is given up at once when systemd has given up', () => {
    const units = new Map<string, UnitHealth>([['containerd.service', { state: 'failed', restarts: 0 }]]);
    expect(judgeAll([reading({ units })])).toMatchObject({ decision: 'give-up', code: 'verify/unit-failed' });
  });

  it('takes a heartbeat of the same second for a new one: they are written without fractions', () => {
    const late = { ...watch, kubeletSinceMs: watch.sinceMs + 999 };
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: watch.sinceMs };
    expect(judgeAll([reading({ node })], late).code).toBe('verify/running');
  });

  it('asks for no new heartbeat where kubelet runs as it did, for it says nothing new for minutes', () => {
    const { kubeletSinceMs: _, ...live } = watch;
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: 1 };
    expect(
      judgeAll(
        during(commitAfterMs, () => ({ node })),
        live,
      ).decision,
    ).toBe('good');
  });

  it('takes any heartbeat when the clock was set back meanwhile', () => {
    const node: NodeHealth = { isReachable: true, isReady: true, heartbeatMs: 400 };
    expect(judgeAll([reading({ nowMs: 500, node })]).code).toBe('verify/running');
  });

  it('waits for a node that was not Ready before', () => {
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

  it('is waited for while the API server cannot say, and that time is not counted against the node', () => {
    const waiting = judgeAll(during(100 * readyWithinMs, () => ({ node: busy })));
    expect([waiting.decision, waiting.code, waiting.isWell]).toEqual(['watch', 'verify/running', false]);
    const decided = (ms: number) =>
      judgeAll(during(ms, (atMs) => ({ node: atMs <= 2 * readyWithinMs ? busy : down }))).decision;
    expect([decided(3 * readyWithinMs - 10_000), decided(3 * readyWithinMs)]).toEqual(['watch', 'give-up']);
  });

  it('is given up after a quarter of an hour when it was made before kubelet and nobody answers since', () => {
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

  it('takes what kubelet says in its own words for the same', () => {
    const kubeletConfig = { maxPods: 110, clusterDNS: [], syncFrequency: '1m0s', nested: { a: true, b: 1 }, other: 3 };
    expect(judgeAll([reading({ kubeletConfig })]).code).toBe('verify/running');
  });

  it('does not ask about what does not run on this node', () => {
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

  it('does not count restarts of before the first look, nor those by hand twice', () => {
    const restarted = (counts: number[]) =>
      counts.map((restarts, i) => {
        const units = new Map(watch.units.map((unit) => [unit, { state: 'active', restarts } as const]));
        return reading({ nowMs: watch.sinceMs + i * 1000, units });
      });
    expect(judgeAll(restarted([40, 40, 41, 42])).decision).toBe('watch');
    expect(judgeAll(restarted([40, 41, 42, 43]))).toMatchObject({ decision: 'give-up', code: 'verify/crash-loop' });
    expect(judgeAll(restarted([40, 0, 1, 2])).decision).toBe('watch');
    expect(judgeAll(restarted([40, 0, 1, 2, 3])).decision).toBe('give-up');
  });

  it('is never decided by a clock that was set', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 2 }), fc.boolean(), (jumps, isWell) => {
        const readings = jumps.map((nowMs) => reading({ nowMs, isKubeletHealthy: isWell }));
        expect(judgeAll([reading({ isKubeletHealthy: isWell }), ...readings]).decision).toBe('watch');
      }),
    );
  });

  it('keeps no more than it needs, however long it watches', () => {
    let course: HealthHistory | undefined;
    for (let i = 0; i < 1000; i++) {
      const units = new Map(watch.units.map((unit) => [unit, { state: 'active', restarts: i % 3 } as const]));
      course = judgeHealth(reading({ nowMs: watch.sinceMs + i * 90_000, units }), watch, policy, course).course;
    }
    expect(course!.restarts.length).toBeLessThan(10);
  });
});
