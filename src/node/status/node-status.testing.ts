// node/status/node-status.testing.ts: the state of a daemon that runs generation 7, for tests of reports.
import { INITIAL } from '../daemon/machine.ts';
import type { DaemonState } from '../daemon/state.ts';

const START = Date.UTC(2026, 10, 16, 5);
const slot = (generation: number) => ({
  number: generation,
  generation,
  hash: `h${generation}`,
  documentHash: `d${generation}`,
  atMs: START,
});
export const about = { source: 'Azure userData', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 };
export const state: DaemonState = {
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
