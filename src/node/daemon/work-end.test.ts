import { describe, expect, it } from 'vitest';
import type { ApplyOutcome } from '../apply/contract.ts';
import type { DaemonState, DaemonWork } from './state.ts';
import { anOutcome, aState, runs, START, slot, watch } from './states.testing.ts';
import { onBroke, onDeclined, onFinished } from './work-end.ts';

const order = { id: 7, what: 'apply', raw: 'raw-2' } as const;
const end = (work: DaemonWork, outcome: ApplyOutcome, over: Partial<DaemonState> = {}) =>
  onFinished(aState({ work, ...over }), { is: 'finished', outcome, nowMs: START }, START);
const MINUTE_MS = 60_000;

describe('after work, the daemon schedules', () => {
  it('a health check of a watched change in five seconds, and immediately after a boot', () => {
    const watched = anOutcome('applied', { slots: runs(1, { watch }) });
    expect(end({ is: 'checking' }, watched).state.due.checkMs).toBe(START + 5000);
    expect(end({ is: 'recovering' }, watched).state.due.checkMs).toBe(START);
    expect(end({ is: 'checking' }, anOutcome('verified')).state.due.checkMs).toBeUndefined();
  });

  it('a reconcile in ten minutes, immediately after a boot, and later if a document was staged for the boot', () => {
    expect(end({ is: 'reconciling' }, anOutcome('unchanged')).state.due.reconcileMs).toBe(START + 10 * MINUTE_MS);
    expect(end({ is: 'recovering' }, anOutcome('unchanged')).state.due.reconcileMs).toBe(START);
    const staged = anOutcome('unchanged', { slots: runs(1, { assigned: slot(2) }) });
    expect(end({ is: 'recovering' }, staged).state.due.reconcileMs).toBe(START + MINUTE_MS / 2);
  });

  it("no reconcile of the donor's document, or without a document", () => {
    const { state } = end({ is: 'recovering' }, anOutcome('unchanged'), { isForeign: true });
    expect(state.due.reconcileMs).toBeUndefined();
    expect(end({ is: 'recovering' }, anOutcome('unchanged', { slots: runs(undefined) })).state.due.reconcileMs).toBe(
      undefined,
    );
  });

  it('a reconcile that health checks do not postpone', () => {
    const due = { ...aState().due, reconcileMs: START + 1 };
    expect(end({ is: 'checking' }, anOutcome('applied'), { due }).state.due.reconcileMs).toBe(START + 1);
  });

  it('a retry after an hour if a change was rolled back', () => {
    expect(end({ is: 'checking' }, anOutcome('reverted')).state.due.retryRolledBackMs).toBe(START + 60 * MINUTE_MS);
    expect(end({ is: 'checking' }, anOutcome('failed')).state.due.retryRolledBackMs).toBe(0);
  });
});

describe('kubelet may start', () => {
  const ready = (work: DaemonWork, outcome: ApplyOutcome, over: Partial<DaemonState> = {}) =>
    end(work, outcome, { isReady: false, ...over }).effects.some((effect) => effect.do === 'report-ready');

  it('once a document was applied or reconciled, before other reports', () => {
    expect(ready({ is: 'applying', raw: 'r' }, anOutcome('applied'))).toBe(true);
    expect(ready({ is: 'reconciling' }, anOutcome('failed'))).toBe(true);
    const { effects } = end({ is: 'applying', raw: 'r', order }, anOutcome('applied'), { isReady: false });
    expect(effects.map((effect) => effect.do)).toEqual(['report-ready', 'answer']);
  });

  it("neither before that, nor without a document, nor with the donor's", () => {
    expect(ready({ is: 'recovering' }, anOutcome('unchanged'))).toBe(false);
    expect(ready({ is: 'applying', raw: 'r' }, anOutcome('failed', { slots: runs(undefined) }))).toBe(false);
    expect(ready({ is: 'reconciling' }, anOutcome('unchanged'), { isForeign: true })).toBe(false);
  });

  it('with the files on disk if the saved state is lost, and is reported only once', () => {
    const lost = { isMemoryLost: true, slots: runs(undefined) };
    expect(ready({ is: 'recovering' }, anOutcome('failed', { slots: runs(undefined) }), lost)).toBe(true);
    expect(ready({ is: 'applying', raw: 'r' }, anOutcome('applied'), { isReady: true })).toBe(false);
  });
});

describe('the state on a clone', () => {
  it("is no longer the donor's once a document was applied", () => {
    const applied = end({ is: 'applying', raw: 'r' }, anOutcome('applied'), { isForeign: true });
    expect(applied.state.isForeign).toBe(false);
    expect(end({ is: 'applying', raw: 'r' }, anOutcome('failed'), { isForeign: true }).state.isForeign).toBe(true);
    expect(end({ is: 'checking' }, anOutcome('verified'), { isForeign: true }).state.isForeign).toBe(true);
  });
});

describe('a reconcile that kept the document as it was applied', () => {
  it('adds a note until the document can be read again', () => {
    const note = { code: 'config/kept-as-applied', detail: 'x' } as const;
    const state = aState({ work: { is: 'reconciling' } });
    const kept = onFinished(state, { is: 'finished', outcome: anOutcome('unchanged'), note, nowMs: START }, START);
    expect(kept.state.notes).toEqual([note]);
    expect(end({ is: 'reconciling' }, anOutcome('unchanged'), { notes: [note] }).state.notes).toEqual([]);
  });
});

describe('work without an outcome', () => {
  const error = { code: 'node/no-such-generation', message: 'there is none' };

  it('is answered with the error if it was ordered', () => {
    const { state, effects } = onDeclined(aState({ work: { is: 'rolling-back', order } }), error, START);
    expect(effects).toEqual([{ do: 'answer', id: 7, result: { error } }]);
    expect([state.work, state.ofNode.phase]).toEqual([undefined, 'Applied']);
  });

  it('degrades the node, with the reason code of the error if it has one', () => {
    const workFailed = (code: string) =>
      onDeclined(aState({ work: { is: 'reconciling' } }), { code, message: 'x' }, START);
    expect(workFailed('apply/memory-unreadable').state.ofNode).toMatchObject({
      phase: 'Degraded',
      code: 'apply/memory-unreadable',
    });
    expect(workFailed('node/whatever').state.ofNode.code).toBe('daemon/broke');
  });

  it('is not retried immediately, and does not keep kubelet from starting', () => {
    const event = { is: 'broke', lane: 'work', detail: 'x', nowMs: START } as const;
    const { state, effects } = onBroke(aState({ work: { is: 'recovering' }, isReady: false }), event, START);
    expect(effects).toEqual([{ do: 'report-ready' }]);
    expect(state.due.reconcileMs).toBe(START + 10 * MINUTE_MS);
  });

  it('does not change the status while the daemon stops', () => {
    const event = { is: 'broke', lane: 'work', detail: 'x', nowMs: START } as const;
    const stopping = aState({ work: { is: 'applying', raw: 'r', order }, isStopping: true });
    const { state, effects } = onBroke(stopping, event, START);
    expect(state.ofNode.phase).toBe('Applied');
    expect(effects).toMatchObject([{ do: 'answer', id: 7, result: { refused: { code: 'daemon/broke' } } }]);
  });

  it('does not affect the node if it was a fetch, or nothing was running', () => {
    const event = { is: 'broke', lane: 'fetch', detail: 'x', nowMs: START } as const;
    const { state } = onBroke(aState({ work: { is: 'checking' } }), event, START);
    expect([state.work, state.notes]).toEqual([{ is: 'checking' }, [{ code: 'daemon/broke', detail: 'x' }]]);
    const idle = aState();
    expect(onFinished(idle, { is: 'finished', outcome: anOutcome('failed'), nowMs: START }, START).state).toBe(idle);
  });
});
