// boot/compat/cloud-init/steps-json.ts: a step and a boot for --json: names and µs instead of object references.
import type { CloudInitBoot, CloudInitStep } from './stages.ts';

export function bootJson(boot: CloudInitBoot): object {
  const { version, datasource, firstUs, lastUs, finishedUs, steps, pauses, ticks } = boot;
  return { version, datasource, firstUs, lastUs, finishedUs, steps: steps.map(stepJson), pauses, ticks };
}

export function stepJson(step: CloudInitStep): object {
  const { parent, stage, childrenUs: _, ...facts } = step;
  return { ...facts, ...(parent ? { parent: parent.name } : {}), ...(stage ? { stage: stage.name } : {}) };
}
