// boot/compat/cloud-init/blame.ts: which cloud-init steps took longest? Counts each second once.
import { seconds08 } from './exact/python-numbers.ts';
import { bootHeading } from './show.ts';
import type { CloudInitBoot, CloudInitStep } from './stages.ts';
import { maskControls, remarks } from './step-text.ts';

export interface CloudInitBlame {
  step: CloudInitStep;
  /** For a stage or parent: its time without its children. */
  ownUs: number;
  isParent: boolean;
}

export function blameOf(boot: CloudInitBoot): CloudInitBlame[] {
  const parents = new Set(boot.steps.map((step) => step.parent));
  return boot.steps
    .filter((step) => step.ownUs !== undefined)
    .map((step) => ({ step, ownUs: step.ownUs!, isParent: parents.has(step) }))
    .sort((a, b) => b.ownUs - a.ownUs || (a.step.name < b.step.name ? -1 : a.step.name > b.step.name ? 1 : 0));
}

export function blameText(boots: Iterable<CloudInitBoot>): string {
  const parts: string[] = [];
  for (const boot of boots) {
    parts.push(`${bootHeading(parts.length)}${blameOf(boot).map(blameLine).join('')}${untimed(boot)}\n`);
  }
  return `${parts.join('')}${parts.length} boot records analyzed\n`;
}

function blameLine({ step, ownUs, isParent }: CloudInitBlame): string {
  const what = isParent ? `${step.name}, without the steps in it` : step.name;
  return `     ${seconds08(ownUs / 1e6)}s (${maskControls(what)})${remarks(step)}\n`;
}

/** Also lists steps without a duration: a stage that was cut off may be the slowest one. */
function untimed(boot: CloudInitBoot): string {
  return boot.steps
    .filter((step) => step.ownUs === undefined)
    .map((step) => `            ? (${maskControls(step.name)})${remarks(step)}\n`)
    .join('');
}
