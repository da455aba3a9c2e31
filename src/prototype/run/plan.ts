// prototype/run/plan.ts: given the current state, which step is next? Pure: the same scene always gives the same answer.
import { PIPELINE, RESTORE } from './pipeline.ts';
import { hasStrayDonor, needsCapture, type Scene } from './scene.ts';
import type { Step } from './step.ts';

export interface PlannedStep {
  id: string;
  title: string;
  usuallyMs: number;
  state: 'done' | 'next' | 'later' | 'not needed';
}

/** The first step that is needed and not done; undefined when the run has nothing left to do. */
export function nextStep(scene: Scene): Step | undefined {
  // A donor that another run left out of service is restored before anything else.
  if (hasStrayDonor(scene) || scene.run.isAborting) {
    const restore = RESTORE.find((step) => isDue(step, scene));
    if (restore || scene.run.isAborting) return restore;
  }
  return PIPELINE.find((step) => isDue(step, scene));
}

export function planSteps(scene: Scene): PlannedStep[] {
  const next = nextStep(scene);
  return PIPELINE.map((step) => ({
    id: step.id,
    title: step.title,
    usuallyMs: step.usuallyMs,
    state: stateOf(step, next, scene),
  }));
}

function stateOf(step: Step, next: Step | undefined, scene: Scene): PlannedStep['state'] {
  if (step === next) return 'next';
  // A capture takes the donor out of service, so the restore steps will follow.
  if (RESTORE.includes(step) && needsCapture(scene)) return 'later';
  if (!step.isNeeded(scene)) return 'not needed';
  return step.isDone(scene) ? 'done' : 'later';
}

function isDue(step: Step, scene: Scene): boolean {
  if (scene.run.gaveUp?.has(step.id) && step.isOptional?.(scene)) return false;
  return step.isNeeded(scene) && !step.isDone(scene);
}
