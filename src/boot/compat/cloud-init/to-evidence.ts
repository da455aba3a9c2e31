// boot/compat/cloud-init/to-evidence.ts: converts one boot of a cloud-init log or dump to evidence for the boot record.

import { type Evidence, evidence, type SourceKind } from '../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../model/record.ts';
import { clockSteps, wallRangeAt } from './clock-ticks.ts';
import type { CloudInitBoot, CloudInitStep } from './stages.ts';

export function toEvidence(boot: CloudInitBoot, from: { kind: SourceKind; input: string }): Evidence {
  const notes: Note[] = [];
  const all = spansOf(boot, notes, from.input);
  const byUptime = all.filter(({ step }) => isByUptime(step)).map(({ step, span }) => atUptime(step!, span));
  const spans = all.filter(({ step }) => !isByUptime(step)).map(({ span }) => span);
  for (const step of clockSteps(boot)) {
    const seconds = (step.byUs / 1e6).toFixed(1);
    notes.push({
      level: 'warning',
      text: `${from.input}: the clock moved by ${seconds} s or more between two stages of cloud-init`,
    });
  }
  if (boot.steps.some((step) => step.isWholeSecond && step.startUs !== undefined)) {
    notes.push({ level: 'warning', text: `${from.input}: ${WHOLE_SECONDS}` });
  }
  const { onUptime, onStamps } = milestonesOf(boot);
  const cloud = boot.datasource && cloudName(boot.datasource);
  return evidence({
    ...from,
    clock: 'wall',
    anchors: boot.ticks.map((tick) => {
      const { fromUs, toUs } = wallRangeAt(tick);
      return { monotonicUs: tick.upUs, wallUs: fromUs, errorUs: toUs - fromUs };
    }),
    host: { ...(boot.version ? { cloudInitVersion: boot.version } : {}), ...(cloud ? { cloud } : {}) },
    spans,
    milestones: onStamps,
    ...(byUptime.length + onUptime.length > 0 && { monotonic: { spans: byUptime, milestones: onUptime } }),
    notes,
  });
}

const WHOLE_SECONDS =
  'the stamps are in whole seconds: the times of modules are exact to 1 s; the times of stages come from the uptimes in the log';

/** If stamps are in whole seconds, the uptime in the banner of a stage says better when it began. */
function isByUptime(step: CloudInitStep | undefined): boolean {
  return step?.isWholeSecond === true && step.upUs !== undefined;
}

function atUptime(step: CloudInitStep, span: Span): Span {
  return { ...span, startUs: step.upUs!, endUs: step.upUs! + (step.processTookUs ?? span.endUs - span.startUs) };
}

interface StepSpan {
  span: Span;
  step?: CloudInitStep;
}

function spansOf(boot: CloudInitBoot, notes: Note[], input: string): StepSpan[] {
  const ids = new Map<CloudInitStep, string>();
  const used = new Map<string, number>();
  const newId = (name: string): string => {
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return `cloud-init:${name}${count > 1 ? `#${count}` : ''}`;
  };
  const spans: StepSpan[] = [];
  let withoutStart = 0;
  const withoutEnd: string[] = [];
  for (const step of boot.steps) {
    if (step.startUs === undefined) {
      withoutStart++;
      continue;
    }
    if (isOvertaken(step, boot) && endOf(step, boot) === step.startUs) {
      withoutEnd.push(step.name);
      continue;
    }
    const id = newId(step.name);
    ids.set(step, id);
    const parent = step.parent && ids.get(step.parent);
    const unit = unitOf(stageOf(step), boot);
    const result = resultOf(step);
    const detail = detailOf(step);
    const span: Span = {
      id,
      name: step.name,
      source: 'cloud-init',
      startUs: step.startUs,
      endUs: endOf(step, boot),
      ...(parent ? { parent } : {}),
      ...(unit ? { unit } : {}),
      ...(step.wait ? { wait: step.wait } : {}),
      ...(result ? { result } : {}),
      ...(detail ? { detail } : {}),
    };
    spans.push({ span, step });
  }
  for (const { stage, startUs, endUs } of boot.pauses) {
    const name = `wait-${stage}`;
    const unit = unitOf(stage, boot);
    // Not a wait for something outside the node: cloud-init waits for other units of it.
    const detail = `until systemd lets stage ${stage} start`;
    spans.push({
      span: { id: newId(name), name, source: 'cloud-init', startUs, endUs, detail, ...(unit ? { unit } : {}) },
    });
  }
  if (withoutStart > 0) {
    const text = `${input}: ${withoutStart} steps of cloud-init finish but do not start in this log (rotated?); their duration is unknown`;
    notes.push({ level: 'warning', text });
  }
  if (withoutEnd.length > 0) {
    const text = `${input}: ${withoutEnd.join(', ')} ${withoutEnd.length === 1 ? 'starts but does' : 'start but do'} not finish in this log; the duration is unknown`;
    notes.push({ level: 'warning', text });
  }
  return spans;
}

/** The first part of a module's name is its stage. A datasource reports under its own name, inside the stage that runs it. */
function stageOf(step: CloudInitStep): string {
  return (step.stage ?? step).name.split('/', 1)[0]!;
}

function unitOf(stage: string, boot: CloudInitBoot): string | undefined {
  switch (stage) {
    case 'init-local':
    case 'local':
      return 'cloud-init-local.service';
    case 'init-network':
    case 'network':
      return isSingleProcess(boot.version) ? 'cloud-init-network.service' : 'cloud-init.service';
    case 'modules-config':
    case 'config':
      return 'cloud-config.service';
    case 'modules-final':
    case 'final':
      return 'cloud-final.service';
    default:
      return undefined;
  }
}

/** 24.3 renamed the unit of the network stage. */
export function isSingleProcess(version: string | undefined): boolean {
  const match = /^(\d+)\.(\d+)/.exec(version ?? '');
  return match !== null && Number(match[1]) * 100 + Number(match[2]) >= 2403;
}

/** Uses the duration, not the last stamp: if the clock was set back, the span would end before its start. */
function endOf(step: CloudInitStep, boot: CloudInitBoot): number {
  if (step.tookUs !== undefined) return step.startUs! + Math.max(0, step.tookUs);
  const lastUs = isOvertaken(step, boot) ? (step.lastSeenUs ?? step.startUs!) : boot.lastUs;
  return Math.max(step.startUs!, step.parent?.endUs ?? lastUs);
}

/** A stage without an end that a later stage followed: the later one does not say when it ended, only its own events do. */
function isOvertaken(step: CloudInitStep, boot: CloudInitBoot): boolean {
  return step.depth === 0 && step.endUs === undefined && step !== boot.steps.findLast(({ depth }) => depth === 0);
}

function resultOf(step: CloudInitStep): Span['result'] {
  if (step.result === 'SUCCESS') return 'ok';
  if (step.result === 'WARN') return 'warn';
  return step.result === 'FAIL' ? 'fail' : undefined;
}

function detailOf(step: CloudInitStep): string | undefined {
  const parts = [step.description];
  if (step.endUs === undefined) parts.push('its finish is not in this log');
  if (step.clockStepUs !== undefined) parts.push('the clock stepped meanwhile');
  return parts.filter((text) => text !== '').join('; ') || undefined;
}

function milestonesOf(boot: CloudInitBoot): { onStamps: Milestone[]; onUptime: Milestone[] } {
  const onStamps: Milestone[] = [];
  const onUptime: Milestone[] = [];
  const first = boot.steps.find((step) => step.depth === 0 && step.startUs !== undefined);
  // If the log begins in the middle of a stage, cloud-init started earlier, at an unknown time.
  if (first && boot.steps[0]?.startUs !== undefined) {
    const started = { name: 'cloud-init-started', source: 'cloud-init', detail: first.name } as const;
    if (isByUptime(first)) onUptime.push({ ...started, atUs: first.upUs!, errorUs: UPTIME_ERROR_US });
    else onStamps.push({ ...started, atUs: first.startUs! });
  }
  const final = boot.steps.findLast((step) => step.name === 'modules-final');
  const finishedUs = final?.endUs ?? boot.finishedUs;
  if (finishedUs === undefined) return { onStamps, onUptime };
  const finished = { name: 'cloud-init-finished', source: 'cloud-init' } as const;
  if (!final?.isWholeSecond) onStamps.push({ ...finished, atUs: finishedUs });
  else if (boot.finishedUpUs !== undefined)
    onUptime.push({ ...finished, atUs: boot.finishedUpUs, errorUs: UPTIME_ERROR_US });
  else if (isByUptime(final) && final.processTookUs !== undefined)
    onUptime.push({ ...finished, atUs: final.upUs! + final.processTookUs, errorUs: 2 * UPTIME_ERROR_US });
  else onStamps.push({ ...finished, atUs: finishedUs, errorUs: 1e6 });
  return { onStamps, onUptime };
}

/** /proc/uptime has hundredths of a second. */
const UPTIME_ERROR_US = 10_000;

/** `DataSourceEc2Local` → `ec2`: cloud-init's name of the platform. */
function cloudName(datasource: string): string {
  return datasource
    .replace(/^DataSource/, '')
    .replace(/(Local|Net)$/, '')
    .toLowerCase();
}
