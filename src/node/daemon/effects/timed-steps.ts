// node/daemon/effects/timed-steps.ts: how long did a piece of work take, and each part of it? On the clock of the kernel, for the file of steps.
import type { Clock } from '../../../base/clock.ts';
import type { ApplyOutcome } from '../../apply/contract.ts';
import type { StepName, StepRecorder } from '../../status/steps-file.ts';

/** Begins now. A look that found nothing to do is not worth a line, but the first one is on the way to kubelet. */
export function timedSteps(steps: StepRecorder, clock: Clock): { done(name: StepName, outcome: ApplyOutcome): void } {
  const startUs = steps.nowUs();
  return {
    done(name, outcome) {
      const isNothing = outcome.kind === 'unchanged' || (name === 'verify' && outcome.kind === 'applied');
      if (isNothing && steps.has(name)) return;
      // The parts are timed by the wall clock; only how far back they lie is taken from it.
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
