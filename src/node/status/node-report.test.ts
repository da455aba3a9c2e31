import { describe, expect, it } from 'vitest';
import { INITIAL } from '../daemon/machine.ts';
import type { DaemonState, Phase } from '../daemon/state.ts';
import { REASONS } from '../reason-codes.ts';
import { renderMetrics } from './metrics.ts';
import { camelCase, reportOf } from './node-report.ts';
import { statusOf } from './node-status.ts';

const START = Date.UTC(2026, 10, 16, 5);
const slot = (generation: number) => ({
  number: generation,
  generation,
  hash: `h${generation}`,
  documentHash: `d${generation}`,
  atMs: START,
});
const about = { source: 'Azure userData', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 };
const state: DaemonState = {
  ...INITIAL,
  sinceMs: START,
  isReady: true,
  ofNode: { phase: 'Applied', code: 'ok/applied', detail: 'the node runs generation 7' },
  notes: [{ code: 'config/disappeared', detail: 'gone' }],
  slots: {
    assigned: slot(7),
    active: slot(7),
    lastKnownGood: slot(6),
    bad: [{ hash: 'x', generation: 5, code: 'verify/unit-failed', atMs: START }],
  },
};
const inPhase = (phase: Phase) => statusOf({ ...state, ofNode: { phase, code: 'plan/drift', detail: 'x' } }, about);

describe('what a cluster sees of the configuration of its node', () => {
  it('is in annotations, a condition and an event', () => {
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

  it('takes away what is not so any more', () => {
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
  ] as const)('is, while the node is %s, a condition that is %s', (phase, truth) => {
    expect(reportOf(inPhase(phase)).condition.status).toBe(truth);
  });

  it('has a reason that the API server takes, for every code there is', () => {
    for (const code of Object.keys(REASONS))
      expect(camelCase(code)).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  });
});

describe('the status', () => {
  it('keeps to the clock of the machine also when that was set after the start', () => {
    expect(statusOf(state, { ...about, skewMs: 3_600_000 }).since).toBe('2026-11-16T06:00:00.000Z');
    expect(statusOf({ ...state, sinceMs: -5 }, about).since).toMatch(/^1970/);
  });

  it('says what is wrong with the document before what the node is at, and what to do about it', () => {
    const refused = { ...state, ofDocument: { phase: 'Blocked', code: 'config/expired', detail: 'x' } } as const;
    expect(statusOf(refused, about)).toMatchObject({
      phase: 'Blocked',
      code: 'config/expired',
      next: 'deliver a newer one',
    });
  });
});

describe('the metrics', () => {
  const text = renderMetrics(statusOf(state, about), [
    { name: 'fetch', startUs: 0, tookUs: 41_000, isOk: true },
    { name: 'apply/daemon-reload', startUs: 0, tookUs: 1, isOk: true },
  ]);

  it('are text that Prometheus reads: help, type and samples of each family', () => {
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) headstart_node_[a-z_]+ .+|headstart_node_[a-z_]+(\{[a-z]+="[^"\\]*"\})? [-+.e\d]+)$/,
      );
    }
    expect(text.match(/^# TYPE/gm)).toHaveLength(new Set(text.match(/^headstart_node_[a-z_]+/gm)).size);
  });

  it('say the phase, every reason, every place and every step', () => {
    expect(text).toContain('headstart_node_phase{phase="Applied"} 1\n');
    expect(text).toContain('headstart_node_phase{phase="Blocked"} 0\n');
    expect(text).toContain('headstart_node_reason{code="config/disappeared"} 1\n');
    expect(text).toContain('headstart_node_generation{slot="last_known_good"} 6\n');
    expect(text).toContain('headstart_node_step_seconds{step="fetch"} 0.041\n');
    expect(text).not.toContain('daemon-reload');
  });
});
