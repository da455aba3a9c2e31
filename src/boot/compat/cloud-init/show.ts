// boot/compat/cloud-init/show.ts: which steps did cloud-init run, in order, and how long did each take?
import { clockSteps } from './clock-ticks.ts';
import { pythonFixed, seconds08 } from './exact/python-numbers.ts';
import type { CloudInitBoot, CloudInitStep, StagePause } from './stages.ts';
import { maskControls, remarks, stepWriter } from './step-text.ts';

export function showText(boots: Iterable<CloudInitBoot>, format: string | undefined): string {
  const parts: string[] = [];
  for (const boot of boots) parts.push(`${bootHeading(parts.length)}${LEGEND}${bootText(boot, format)}\n`);
  return `${parts.join('')}${parts.length} boot records analyzed\n`;
}

export function bootHeading(index: number): string {
  return `-- Boot Record ${String(index + 1).padStart(2, '0')} --\n`;
}

const LEGEND =
  'The time from the first event to the start of an event is printed after the "@" character.\n' +
  'The time the event takes is printed after the "+" character.\n\n';

/** The time covered by stages, with overlaps counted once. A stage without an end counts up to the last event. */
export function stageCoverageUs(boot: CloudInitBoot): number {
  const last = boot.steps.findLast((step) => step.depth === 0);
  const stages = boot.steps
    .filter((step) => step.depth === 0 && step.startUs !== undefined)
    .map((step) => {
      const tookUs = step.tookUs ?? (step === last ? boot.lastUs - step.startUs! : 0);
      return { from: step.startUs!, to: step.startUs! + Math.max(0, tookUs) };
    })
    .sort((a, b) => a.from - b.from);
  let covered = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of stages) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}

function bootText(boot: CloudInitBoot, format: string | undefined): string {
  const lines: string[] = [];
  let stage: CloudInitStep | undefined;
  let pause = 0;
  const write = stepWriter(format ?? DEFAULT_FORMAT);
  for (const step of boot.steps) {
    if (step.depth > 0) {
      lines.push(write(step, boot) + (format === undefined ? remarks(step) : ''));
      continue;
    }
    if (stage) lines.push(finished(stage));
    while (step.startUs !== undefined && pause < boot.pauses.length && boot.pauses[pause]!.startUs <= step.startUs) {
      lines.push(pauseLine(boot.pauses[pause++]!));
    }
    stage = step;
    if (step.startUs !== undefined) lines.push(`Starting stage: ${maskControls(step.name)}`);
  }
  if (stage) lines.push(finished(stage));
  for (; pause < boot.pauses.length; pause++) lines.push(pauseLine(boot.pauses[pause]!));
  if (boot.steps.length === 0) lines.push('No events: this log has only the banners of this boot.\n');
  for (const step of clockSteps(boot)) {
    const at = seconds08((step.afterUs - boot.firstUs) / 1e6);
    lines.push(
      `Clock step: by the uptime in the banners the clock moved by ${pythonFixed(step.byUs / 1e6, 1)} seconds before @${at}s\n`,
    );
  }
  lines.push(`Total Time: ${pythonFixed(stageCoverageUs(boot) / 1e6, 5)} seconds\n`);
  return lines.join('\n');
}

const DEFAULT_FORMAT = '%I%D @%Es +%ds';

function finished(stage: CloudInitStep): string {
  if (stage.endUs === undefined) return `Unfinished stage: (${maskControls(stage.name)})${remarks(stage)}\n`;
  const took = stage.tookUs === undefined ? '?' : seconds08(stage.tookUs / 1e6);
  return `Finished stage: (${maskControls(stage.name)}) ${took} seconds${remarks(stage)}\n`;
}

function pauseLine(pause: StagePause): string {
  return `Waited to start stage: ${pause.stage} ${seconds08((pause.endUs - pause.startUs) / 1e6)} seconds\n`;
}
