// node/plan/render-plan.ts: how is a plan printed for people and as JSON? Secrets are shown only as changed.

import { renderProblem } from '../../schema/problem.ts';
import type { Diff, Plan, PlannedChange, PlanStep } from '../desired/tree.ts';
import { CLASS_MEANS } from './disruption.ts';
import type { Verdict } from './policy.ts';

export function renderNodePlan(plan: Plan, verdict: Verdict): string {
  const lines = [
    ...plan.problems.map((problem) => `! ${renderProblem(problem)}`),
    ...plan.changes.flatMap(renderChange),
    ...(plan.steps.length > 0 ? ['', `then: ${renderSteps(plan.steps)}`] : []),
    ...(plan.changes.length + plan.problems.length > 0 ? [''] : []),
    `class ${plan.class}: ${CLASS_MEANS[plan.class]}`,
    `${DECISION[verdict.decision]}: ${verdict.reason} (${verdict.code})`,
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

const DECISION: Readonly<Record<Verdict['decision'], string>> = {
  nothing: 'nothing to do',
  go: 'may be applied',
  wait: 'waits',
  blocked: 'blocked',
};

const SIGN: Readonly<Record<PlannedChange['op'], string>> = { create: '+', update: '~', remove: '-', restore: '<' };

function renderChange(change: PlannedChange): string[] {
  const drift = change.isDrift ? ', changed outside headstart' : '';
  return [
    `${SIGN[change.op]} ${change.what}${valuesOf(change.diff)}  [class ${change.class}: ${change.why}${drift}]`,
    ...change.leaves.map((leaf) => `    ${leaf.path}${arrow(leaf.from, leaf.to)}  [class ${leaf.class}: ${leaf.why}]`),
    ...linesOf(change.diff).map((line) => `    ${line}`),
  ];
}

function valuesOf(diff: Diff): string {
  return diff.kind === 'value' ? arrow(diff.from, diff.to) : '';
}

/** Empty if both are hidden. */
function arrow(from: string | undefined, to: string | undefined): string {
  return from === undefined && to === undefined ? '' : `: ${from ?? '(none)'} → ${to ?? '(none)'}`;
}

function linesOf(diff: Diff): string[] {
  if (diff.kind === 'hidden') return [`(${diff.because}, not shown)`];
  if (diff.kind === 'value') return [];
  return diff.lines.map(({ sign, text }) => (sign === 'gap' ? '…' : `${sign} ${text}`));
}

function renderSteps(steps: readonly PlanStep[]): string {
  const written = steps.filter((step) => step.do === 'write-file' || step.do === 'make-link').length;
  const removed = steps.filter((step) => step.do === 'remove-file').length;
  const files = [...(written ? [`write ${count(written)}`] : []), ...(removed ? [`remove ${count(removed)}`] : [])];
  return steps
    .flatMap((step, i) => {
      if (!isAboutFiles(step)) return [describe(step)];
      return steps.findIndex(isAboutFiles) === i ? files : [];
    })
    .join(', ');
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

function isAboutFiles(step: PlanStep): boolean {
  return ['make-folder', 'write-file', 'make-link', 'remove-file', 'remove-folder'].includes(step.do);
}

function describe(step: PlanStep): string {
  switch (step.do) {
    case 'set':
      return `set ${step.kind} ${step.key}`.trim();
    case 'clear':
      return `remove ${step.kind} ${step.key}`.trim();
    case 'reload-unit':
    case 'restart-unit':
    case 'stop-unit':
    case 'start-unit':
      return `${step.do.slice(0, -'-unit'.length)} ${step.unit}`;
    case 'remove-state':
      return `remove ${step.path}`;
    default:
      return step.do.replace('-', ' ');
  }
}

/** For --json: the plan without the content of files. */
export function planToJson(plan: Plan, verdict: Verdict) {
  return {
    class: plan.class,
    verdict,
    problems: plan.problems,
    changes: plan.changes,
    steps: plan.steps.map((step) => {
      if (step.do !== 'write-file') return step;
      const { content: _, encoding: __, ...shown } = step;
      return shown;
    }),
  };
}

/** Control characters in a file must not reach the terminal. */
function visible(line: string): string {
  return line.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
