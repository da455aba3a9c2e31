import { describe, expect, it } from 'vitest';
import type { NodeStandby } from '../state.ts';
import { aState, START } from '../states.testing.ts';
import { shownInStandby } from './shown-status.ts';

const standby: NodeStandby = { where: 'pool', sinceMs: START, isConfirmed: true, isWoken: false, isPrepared: true };
const shown = (over: Partial<NodeStandby>, isReady = false) =>
  shownInStandby(aState({ isReady, standby: { ...standby, ...over } }))?.code;

describe('the status of a node in standby', () => {
  it('says that kubelet waits for the claim once everything else is done', () => {
    expect(shown({})).toBe('standby/waiting');
    expect(shown({ isPrepared: false })).toBeUndefined();
    expect(shown({ where: 'parked', isPrepared: false })).toBe('standby/parked');
  });

  it('is that of any node after the claim, or when the node is not well', () => {
    expect(shown({ left: { atMs: START, by: 'metadata' } })).toBeUndefined();
    expect(shown({}, true)).toBeUndefined();
    const ofNode = { phase: 'Degraded', code: 'daemon/broke', detail: 'x' } as const;
    expect(shownInStandby(aState({ isReady: false, standby, ofNode }))).toBeUndefined();
    expect(shownInStandby(aState())).toBeUndefined();
  });
});
