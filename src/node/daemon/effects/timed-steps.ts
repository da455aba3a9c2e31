// node/daemon/effects/timed-steps.ts: how long did the work and each of its parts take? Monotonic times for the steps
// file.
import type { Clock } from '../../../base/clock.ts';
import type { ApplyOutcome } from '../../apply/contract.ts';
import type { StepName, StepRecorder } from '../../status/steps-file.ts';

/** Starts the timer. Skips work that changed nothing, except the first time, because that delays kubelet. */
export function timedSteps(steps: StepRecorder, clock: Clock): { done(name: StepName, outcome: ApplyOutcome): void } {
  const startUs = steps.nowUs();
  return {
    done(name, outcome) {
      const isNothing = outcome.kind === 'unchanged' || (name === 'verify' && outcome.kind === 'applied');
      if (isNothing && steps.has(name)) return;
      // The parts have wall-clock times; use only their distance from now.
      const [nowUs, nowMs] = [steps.nowUs(), clock.nowMs()];
      for (const { name: part, startedMs, tookMs } of outcome.timings) {
        const [what, ...rest] = part.split(' ');
        const at = Math.max(startUs, Math.round(nowUs - (nowMs - startedMs) * 1000));
        const detail = rest.join(' ');
        steps.add({
          name: `${name}/${what}`,
          startUs: at,
          tookUs: Math.round(tookMs * 1000),
          isOk: true,
          ...(detail && { detail }),
        });
      }
      const generation = outcome.slots.active?.generation;
      const isOk = outcome.kind !== 'failed' && outcome.kind !== 'reverted';
      steps.since(name, startUs, { isOk, generation, detail: outcome.code });
    },
  };
}
