import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JoinEvent, joinEvents, type ObservationTime, type WatchedKind } from './join-events.ts';
import { type ApiObject, nodeObject, podObject, requestObject } from './testing.ts';

const NODE = 'pool-000001';
const STARTED_MS = Date.UTC(2026, 10, 16, 12);
const LONG_AGO_MS = STARTED_MS - 3_600_000;
const at = (s: number): number => STARTED_MS + Math.round(s * 1000);
const live = (s: number): ObservationTime => ({ fromMs: at(s), nowMs: at(s) });
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Observes changes live, starting from no objects or the given ones. */
function watcher(there: Partial<Record<WatchedKind, ApiObject[]>> = {}) {
  const events = joinEvents(NODE, STARTED_MS);
  const told: JoinEvent[] = [];
  for (const what of ['requests', 'nodes', 'pods'] as const) {
    told.push(...events.listed(what, there[what] ?? [], live(0.1)));
  }
  return {
    told,
    names: () => told.map(({ event }) => event),
    see: (what: WatchedKind, s: number, object: unknown) => told.push(...events.changed(what, 'put', object, live(s))),
    remove: (s: number, object: unknown) => told.push(...events.changed('nodes', 'deleted', object, live(s))),
    list: (what: WatchedKind, objects: ApiObject[], moment: ObservationTime) =>
      told.push(...events.listed(what, objects, moment)),
  };
}

describe('the join events of a node', () => {
  it('are reported once each, at the time of observation', () => {
    const { see, told } = watcher();
    see('requests', 28.4, requestObject('r', at(28)));
    see('requests', 28.41, requestObject('r', at(28), { decided: ['Approved'] }));
    see('requests', 28.42, requestObject('r', at(28), { decided: ['Approved'], isIssued: true }));
    see('nodes', 31.1, nodeObject('n', at(31), { taints: [NOT_READY] }));
    see('nodes', 31.2, nodeObject('n', at(31), { taints: [NOT_READY], ready: 'False', bootId: 'b' }));
    see('nodes', 33.3, nodeObject('n', at(31), { taints: [NOT_READY], ready: 'True', bootId: 'b' }));
    see('nodes', 33.32, nodeObject('n', at(31), { ready: 'True', bootId: 'b' }));
    see('nodes', 43.3, nodeObject('n', at(31), { ready: 'True', bootId: 'b' }));
    see('pods', 33.4, podObject('p', at(30), 'Pending'));
    see('pods', 41.9, podObject('p', at(30), 'Running', [at(41)]));
    expect(told.map(({ event, atMs, uid }) => [event, (atMs - STARTED_MS) / 1000, uid])).toEqual([
      ['csr-created', 28.4, 'r'],
      ['csr-approved', 28.41, 'r'],
      ['csr-issued', 28.42, 'r'],
      ['node-registered', 31.1, 'n'],
      ['node-ready', 33.3, 'n'],
      ['node-schedulable', 33.32, 'n'],
      ['pod-bound', 33.4, 'p'],
      ['pod-running', 41.9, 'p'],
    ]);
    expect(told.at(-1)).toMatchObject({ name: 'default/pod-p' });
    expect(told.every(({ errorMs }) => errorMs === undefined)).toBe(true);
  });

  it('include its return after a heartbeat since the start, even without a new boot id or change', () => {
    const ready = { ready: 'True' as const, bootId: 'new', changedMs: LONG_AGO_MS };
    const late = watcher({ nodes: [nodeObject('n', LONG_AGO_MS, { ...ready, heardMs: at(20) })] });
    expect(late.names()).toEqual(['node-returned', 'node-ready', 'node-schedulable']);
    const early = watcher({ nodes: [nodeObject('n', LONG_AGO_MS, { ...ready, heardMs: LONG_AGO_MS })] });
    expect(early.names()).toEqual([]);
  });

  it('ignore other nodes and leftovers of an earlier node of that name', () => {
    const old = {
      requests: [requestObject('old-r', LONG_AGO_MS, { decided: ['Approved'], isIssued: true })],
      nodes: [nodeObject('old-n', LONG_AGO_MS, { ready: 'True', bootId: 'old', changedMs: LONG_AGO_MS })],
      pods: [podObject('old-p', LONG_AGO_MS, 'Running', [LONG_AGO_MS])],
    };
    const { see, remove, names } = watcher(old);
    see('requests', 1, old.requests[0]);
    see('requests', 1, requestObject('r', at(1), { node: 'pool-000002' }));
    see('nodes', 2, nodeObject('old-n', LONG_AGO_MS, { ready: 'Unknown', bootId: 'old', changedMs: at(2) }));
    see('nodes', 2, nodeObject('x', at(2), { name: 'pool-000002', ready: 'True' }));
    see('pods', 3, old.pods[0]);
    remove(4, old.nodes[0]);
    expect(names()).toEqual([]);
    see('nodes', 5, nodeObject('n', at(5)));
    expect(names()).toEqual(['node-registered']);
  });

  it('include the return of a known node when kubelet reports from another boot', () => {
    const { see, names } = watcher({
      nodes: [nodeObject('n', LONG_AGO_MS, { ready: 'True', bootId: 'old', changedMs: LONG_AGO_MS })],
      pods: [podObject('p', LONG_AGO_MS, 'Running', [LONG_AGO_MS])],
    });
    see('nodes', 20, nodeObject('n', LONG_AGO_MS, { ready: 'False', bootId: 'new', changedMs: at(20) }));
    see('pods', 21, podObject('p', LONG_AGO_MS, 'Running'));
    see('nodes', 22, nodeObject('n', LONG_AGO_MS, { ready: 'True', bootId: 'new', changedMs: at(22) }));
    see('pods', 24, podObject('p', LONG_AGO_MS, 'Running', [at(23)]));
    expect(names()).toEqual(['node-returned', 'node-ready', 'node-schedulable', 'pod-running']);
  });

  it('include a denied CSR with its reason, and continue with the next CSR', () => {
    const { see, told } = watcher();
    see('requests', 5, requestObject('r', at(5), { decided: ['Denied'] }));
    see('requests', 9, requestObject('s', at(9), { decided: ['Approved'], isIssued: true }));
    expect(told.map(({ event, uid, detail }) => [event, uid, detail])).toEqual([
      ['csr-created', 'r', undefined],
      ['csr-denied', 'r', 'Because: it was Denied'],
      ['csr-created', 's', undefined],
      ['csr-approved', 's', undefined],
      ['csr-issued', 's', undefined],
    ]);
  });

  it('include the deletion of a node during boot, and the next node of that name', () => {
    const { see, remove, list, names } = watcher();
    see('nodes', 5, nodeObject('n', at(5)));
    remove(6, nodeObject('n', at(5)));
    see('nodes', 7, nodeObject('m', at(7)));
    list('nodes', [], { fromMs: at(7), nowMs: at(9) });
    expect(names()).toEqual(['node-registered', 'node-deleted', 'node-registered', 'node-deleted']);
  });

  it('that were not seen live lie since the last read, in the second of their timestamp if the two agree', () => {
    const { list, told } = watcher();
    list('nodes', [nodeObject('n', at(8), { ready: 'True', changedMs: at(900) })], { fromMs: at(5.5), nowMs: at(10) });
    expect(told).toMatchObject([
      { event: 'node-registered', atMs: at(8.5), errorMs: 500 },
      { event: 'node-ready', atMs: at(7.75), errorMs: 2_250 }, // the node's clock is wrong
      { event: 'node-schedulable', atMs: at(7.75), errorMs: 2_250 },
    ]);
  });

  it('of the start itself count even if the first read is late', () => {
    const { names } = watcher({
      requests: [requestObject('r', at(0), { isIssued: true })],
      nodes: [nodeObject('n', LONG_AGO_MS, { ready: 'True', bootId: 'new', changedMs: at(0.05) })],
    });
    expect(names()).toEqual(['csr-created', 'csr-issued', 'node-returned', 'node-ready', 'node-schedulable']);
  });

  it('include only the first of several running pods, in the second of its timestamp', () => {
    const running = (uid: string, s: number) => podObject(uid, at(30), 'Running', [at(s)]);
    const outlived = podObject('old', LONG_AGO_MS, 'Running', [at(50)]);
    const { list, told } = watcher();
    list('pods', [running('b', 44), running('a', 41), outlived], { fromMs: at(0), nowMs: at(90) });
    expect(told.map(({ event, uid, atMs, errorMs }) => [event, uid, atMs - STARTED_MS, errorMs])).toEqual([
      ['pod-bound', 'a', 45_000, 45_000],
      ['pod-running', 'a', 41_500, 1_500],
    ]);
  });

  it('are limited for a kubelet that sends endless CSRs', () => {
    const { see, told } = watcher();
    for (let i = 0; i < 500; i++) see('requests', i, requestObject(`r${i}`, at(i)));
    expect(told.length).toBeLessThanOrEqual(50);
  });

  it('are unique, in a possible order and within the stated error, for any observations', () => {
    const uid = fc.constantFrom('a', 'b');
    const seconds = fc.integer({ min: -100, max: 100 });
    const object = fc.oneof(
      fc.record({
        what: fc.constant('requests' as const),
        object: fc.tuple(uid, seconds, fc.boolean()).map(([u, s, isIssued]) => requestObject(u, at(s), { isIssued })),
      }),
      fc.record({
        what: fc.constant('nodes' as const),
        object: fc
          .tuple(uid, seconds, fc.constantFrom('True' as const, 'False' as const), fc.constantFrom('', 'x', 'y'))
          .map(([u, s, ready, bootId]) => nodeObject(u, at(s), { ready, bootId, changedMs: at(s) })),
      }),
      fc.record({
        what: fc.constant('pods' as const),
        object: fc.tuple(uid, seconds, seconds).map(([u, s, r]) => podObject(u, at(s), 'Running', [at(r)])),
      }),
      fc.record({
        what: fc.constantFrom('requests' as const, 'nodes' as const, 'pods' as const),
        object: fc.anything(),
      }),
    );
    const sight = fc.tuple(
      object,
      fc.constantFrom('list' as const, 'put' as const, 'deleted' as const),
      fc.nat(20_000),
      fc.nat(20_000),
    );
    fc.assert(
      fc.property(fc.array(sight, { maxLength: 40 }), (sights) => {
        const events = joinEvents(NODE, STARTED_MS);
        let knownMs = STARTED_MS;
        let told: JoinEvent[] = [];
        for (const [{ what, object: seen }, how, aMs, bMs] of sights) {
          const moment = { fromMs: knownMs + aMs, nowMs: knownMs + aMs + bMs };
          const news = how === 'list' ? events.listed(what, [seen], moment) : events.changed(what, how, seen, moment);
          for (const { atMs, errorMs = 0 } of news) {
            expect(atMs - errorMs).toBeGreaterThanOrEqual(bMs === 0 ? moment.nowMs : moment.fromMs);
            expect(atMs + errorMs).toBeLessThanOrEqual(moment.nowMs);
          }
          told = [...told, ...news];
          knownMs = moment.nowMs;
        }
        expect(new Set(told.map(({ event, uid: of }) => `${event} ${of}`)).size).toBe(told.length);
        for (const [i, { event, uid: of }] of told.entries()) {
          const before = told
            .slice(0, i)
            .filter((one) => one.uid === of)
            .map((one) => one.event);
          if (event === 'node-ready') expect(before.some((one) => /registered|returned/.test(one))).toBe(true);
          if (event === 'csr-issued') expect(before).toContain('csr-created');
        }
      }),
    );
  });
});
