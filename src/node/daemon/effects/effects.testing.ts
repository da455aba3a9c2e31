// node/daemon/effects/effects.testing.ts: a context for tests of effects that records dispatched events and log lines.
import { fakeClock } from '../../../base/fake-clock.ts';
import type { NodeStore } from '../../apply/contract.ts';
import { anImage } from '../../document/documents.testing.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import { recordSteps } from '../../status/steps-file.ts';
import type { DaemonState } from '../state.ts';
import { aState } from '../states.testing.ts';
import type { EffectContext, UntimedEvent } from './context.ts';
import { keepDocuments } from './documents.ts';

export interface EffectWorld {
  context: EffectContext;
  dispatched: UntimedEvent[];
  logged: string[];
  stop(): void;
}

export function aWorld(
  over: { store?: Partial<NodeStore>; fetch?: MetadataSource['fetch']; state?: Partial<DaemonState> } = {},
): EffectWorld {
  const dispatched: UntimedEvent[] = [];
  const logged: string[] = [];
  const stopping = new AbortController();
  const clock = fakeClock();
  const log = (priority: string, message: string) => void logged.push(`${priority} ${message}`);
  const unused = () => Promise.reject(new Error('not expected in this test'));
  const store = { slots: () => ({ bad: [] }), active: () => undefined, ...over.store } as NodeStore;
  const context: EffectContext = {
    deps: {
      clock,
      steadyMs: () => clock.nowMs(),
      random: () => 0.5,
      store,
      source: { name: 'test', isFixed: true, fetch: over.fetch ?? unused },
      context: () => ({ image: { ...anImage }, machine: { cpus: 4, memoryBytes: 16 * 2 ** 30 }, overrides: [] }),
      seed: 0.5,
      isForeign: false,
      hasOwnFiles: () => true,
      standby: { load: () => undefined, save: () => {} },
      log,
      onPrepared: async () => {},
      steps: recordSteps({ monotonicUs: () => 0, wallUs: () => 0 }),
      onReady: async () => {},
      onNews: () => {},
    },
    documents: keepDocuments(() => undefined),
    state: () => aState(over.state),
    dispatch: (event) => void dispatched.push(event),
    stopping: stopping.signal,
    logOnChange: (_about, priority, message) => log(priority, message),
  };
  return { context, dispatched, logged, stop: () => stopping.abort(new Error('the daemon ends')) };
}
