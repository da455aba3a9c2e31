import { describe, expect, it } from 'vitest';
import type { NodePhase } from '../daemon/state.ts';
import { REASONS } from '../reason-codes.ts';
import { camelCase, reportOf } from './node-report.ts';
import { about, state } from './node-status.testing.ts';
import { statusOf } from './node-status.ts';

const inPhase = (phase: NodePhase) => statusOf({ ...state, ofNode: { phase, code: 'plan/drift', detail: 'x' } }, about);

describe('reportOf', () => {
  it('returns annotations, a condition and an event', () => {
    const { annotations, condition, event } = reportOf(statusOf(state, about));
    expect(annotations).toEqual({
      'headstart.dev/config-state': 'Applied',
      'headstart.dev/config-reason': 'ok/applied',
      'headstart.dev/config-since': '2026-11-16T05:00:00.000Z',
      'headstart.dev/config-generation': '7',
      'headstart.dev/config-hash': 'd7',
      'headstart.dev/config-assigned-generation': '7',
      'headstart.dev/config-assigned-hash': 'd7',
      'headstart.dev/config-last-known-good-generation': '6',
      'headstart.dev/config-last-known-good-hash': 'd6',
    });
    expect(condition).toEqual({
      type: 'ConfigApplied',
      status: 'True',
      reason: 'OkApplied',
      message: 'Applied: the node runs generation 7 (ok/applied); gone (config/disappeared)',
      lastTransitionTime: '2026-11-16T05:00:00.000Z',
    });
    expect(event).toEqual({
      type: 'Normal',
      reason: 'ConfigApplied',
      message: 'Applied: the node runs generation 7 (ok/applied)',
    });
  });

  it('removes annotations that no longer apply', () => {
    const { annotations } = reportOf(statusOf({ ...state, slots: { bad: [] } }, about));
    expect(annotations['headstart.dev/config-hash']).toBeNull();
  });

  it.each([
    ['Applied', 'True'],
    ['Blocked', 'False'],
    ['RolledBack', 'False'],
    ['Degraded', 'False'],
    ['Planned', 'False'],
    ['Applying', 'Unknown'],
    ['Verifying', 'Unknown'],
    ['Fetching', 'Unknown'],
  ] as const)('returns for phase %s a condition that is %s', (phase, truth) => {
    expect(reportOf(inPhase(phase)).condition.status).toBe(truth);
  });

  it('returns a reason that the API server accepts for every code', () => {
    for (const code of Object.keys(REASONS))
      expect(camelCase(code)).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  });
});
