// Single decisions; machine.test.ts has complete schedules.
import { describe, expect, it } from 'vitest';
import type { DaemonState, NodeStandby } from '../state.ts';
import { aState, START } from '../states.testing.ts';
import {
  onResumed,
  onStandbyReport,
  onToldToJoin,
  prepared,
  silenceOverMs,
  withJoin,
  withSilence,
} from './decide-join.ts';

const waiting: NodeStandby = { where: 'pool', sinceMs: START, isConfirmed: false, isWoken: true, isPrepared: true };
const inStandby = (over: Partial<DaemonState> = {}) => aState({ isReady: false, standby: waiting, ...over });
const left = { atMs: START, by: 'metadata' } as const;

describe('standby', () => {
  it('is saved once, not at every look at the metadata', () => {
    const entered = onStandbyReport(aState({ isReady: false }), { report: { is: 'in' }, hasDocument: true }, START);
    expect(entered.effects).toHaveLength(1);
    expect(onStandbyReport(entered.state, { report: { is: 'in' }, hasDocument: true }, START + 1).effects).toEqual([]);
  });

  it('goes on, with its start, if the metadata takes the claim back before kubelet could start', () => {
    const before = inStandby({ standby: { ...waiting, isPrepared: false, left } });
    const { state, effects } = onStandbyReport(before, { report: { is: 'in' }, hasDocument: true }, START + 9);
    expect(state.standby).toMatchObject({ sinceMs: START, left: undefined });
    expect(effects).toHaveLength(1);
  });

  it('is not entered again after an operator ended it', () => {
    const ended = onToldToJoin(inStandby({ standby: { ...waiting, isPrepared: false } }), START);
    const after = onStandbyReport(ended, { report: { is: 'in' }, hasDocument: true }, START + 1).state;
    expect(after.standby?.left?.by).toBe('order');
  });

  it('counts silence from its start, and again from the start after a resume', () => {
    const silent = withSilence(withSilence(inStandby(), START), START + 1000);
    expect(silenceOverMs(silent)).toBe(START + 300_000);
    expect(silenceOverMs(onResumed(silent, START + 2000))).toBeUndefined();
    expect(silenceOverMs(withSilence(inStandby({ standby: { ...waiting, isWoken: false } }), START))).toBeUndefined();
  });

  it('leaves a fetch alone that an operator waits for', () => {
    const state = inStandby({ fetch: { orderId: 1 } });
    expect(onResumed(state, START)).toBe(state);
  });

  it('reports once that the node is prepared', () => {
    const first = prepared(inStandby({ standby: { ...waiting, isPrepared: false } }), []);
    expect(first.effects).toEqual([{ do: 'report-prepared' }]);
    expect(prepared(first.state, []).effects).toEqual([]);
  });

  it.each<[string, Partial<DaemonState>]>([
    ['it was not claimed', {}],
    ['it is not prepared', { standby: { ...waiting, left, isPrepared: false } }],
    ['work is running', { standby: { ...waiting, left }, work: { is: 'checking' } }],
    ['a document is due', { standby: { ...waiting, left }, pending: { raw: 'x', atMs: START, isItsTurn: false } }],
    ['the daemon stops', { standby: { ...waiting, left }, isStopping: true }],
  ])('does not end while %s', (_, over) => {
    expect(withJoin({ state: inStandby(over), effects: [] }, START).effects).toEqual([]);
  });
});
