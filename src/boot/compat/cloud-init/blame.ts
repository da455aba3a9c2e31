// boot/compat/cloud-init/blame.ts: what took longest, longest first, each second counted once?
import { seconds08 } from './exact/python-numbers.ts';
import { bootHeading } from './show.ts';
import type { CloudInitBoot, CloudInitStep } from './stages.ts';
import { maskControls, remarks } from './step-text.ts';

export interface CloudInitBlame {
  step: CloudInitStep;
  /** A stage or nested parent is blamed for what its children do not explain. */
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

/** Never left out silently: a stage that was cut off may be the very one to blame. */
function untimed(boot: CloudInitBoot): string {
  return boot.steps
    .filter((step) => step.ownUs === undefined)
    .map((step) => `            ? (${maskControls(step.name)})${remarks(step)}\n`)
    .join('');
}
