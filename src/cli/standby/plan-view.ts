// cli/standby/plan-view.ts: how does the answer of `standby plan` look?
import { formatSpan } from '../../base/duration.ts';
import type { PlanAnswer } from '../../standby/plan/choose-mix.ts';
import type { MixCost } from '../../standby/plan/cost.ts';
import type { MixResult } from '../../standby/plan/judge-mix.ts';
import type { Objective, ReadyTier } from '../../standby/plan/question.ts';
import { STANDBY_TIERS, type StandbyCounts } from '../../vms/standby.ts';
import type { Screen } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';

export interface MeasuredTier {
  tier: ReadyTier;
  readyMs: { values: number; p50: number; max: number };
  /** `isAssumed`: no refill was measured, and a cold boot is taken for one. Absent for `cold`. */
  refillMs?: { values: number; p50: number; isAssumed: boolean };
}

export interface PlanView extends PlanAnswer {
  pool: string;
  objective: string;
  asked: Objective;
  currency?: string;
  observed?: { from: string; to: string; mostInAMinute: number };
  measured: MeasuredTier[];
  /** Tiers that were never measured, and the command that measures one. */
  leftOut: { tier: string; command: string }[];
  assumptions: string[];
  notes: string[];
  /** Carries out the choice; absent if there is nothing to change. */
  command?: string;
}

export function renderPlan(view: PlanView, screen: Screen): string {
  const sections = [head(view), measuredTable(view, screen), conclusion(view)];
  if (view.frontier.length > 0) sections.push(mixTable(view, screen), secondsTable(view, screen));
  const remarks = [
    ...view.leftOut.map(({ tier, command }) => `${tier} was never measured and is left out; to measure it: ${command}`),
    ...view.notes,
  ];
  if (remarks.length > 0) sections.push(lines('notes', remarks));
  sections.push(lines('assumed', view.assumptions));
  if (view.command) sections.push(`next: ${view.command}\n`);
  return sections.join('\n');
}

export function nameOf(counts: StandbyCounts): string {
  const kept = STANDBY_TIERS.filter((tier) => counts[tier] > 0).map((tier) => `${counts[tier]} ${tier}`);
  return kept.join(' + ') || 'none';
}

function head({ pool, objective, arrivals, observed }: PlanView): string {
  if (!observed) return `pool ${pool}: ${objective}; no node was asked for\n`;
  const { from, to, mostInAMinute } = observed;
  return `pool ${pool}: ${objective}, judged by ${arrivals} arrivals from ${from} to ${to} (at most ${mostInAMinute} within a minute)\n`;
}

function conclusion({ verdict, chosen, arrivals, fewestArrivals, objective, pool, ...view }: PlanView): string {
  if (verdict === 'chosen' && chosen)
    return `cheapest: ${nameOf(chosen.counts)}${costIn(chosen, view)}; ${percent(chosen.inTime!.share)} in time, longest wait ${span(chosen.waitMs!.max)}\n`;
  if (verdict === 'none-needed')
    return arrivals === 0
      ? 'keep no standby nodes\n'
      : `keep no standby nodes: new nodes of ${pool} meet the objective\n`;
  if (verdict === 'too-few-arrivals')
    return `too few arrivals to say: ${arrivals}, and ${objective} takes at least ${fewestArrivals}\n`;
  const bounds = `${view.mixes.examined} of ${view.mixes.all} mixes were looked at`;
  if (verdict === 'unreachable') return `no mix within the bounds meets the objective (${bounds}); see --most\n`;
  return `not known: the search ended early, and no mix that it looked at meets the objective (${bounds}); lower --most\n`;
}

const costIn = ({ cost }: MixResult, view: Pick<PlanView, 'currency'>) => `, ${costCells(cost, view).join(', ')}`;

function measuredTable({ measured }: PlanView, screen: Screen): string {
  return renderTable<MeasuredTier>(
    [
      { title: 'TIER', cell: ({ tier }) => tier },
      { title: 'MEASURED', align: 'right', cell: ({ readyMs }) => String(readyMs.values) },
      { title: 'READY P50', align: 'right', cell: ({ readyMs }) => span(readyMs.p50) },
      { title: 'MAX', align: 'right', cell: ({ readyMs }) => span(readyMs.max) },
      {
        title: 'REFILL',
        align: 'right',
        cell: ({ refillMs }) => (refillMs ? `${span(refillMs.p50)}${refillMs.isAssumed ? ' assumed' : ''}` : ''),
      },
    ],
    measured,
    screen,
  );
}

function mixTable(view: PlanView, screen: Screen): string {
  return renderTable<{ mix: MixResult; label: string }>(
    [
      { title: 'KEEP', cell: ({ mix }) => nameOf(mix.counts) },
      { title: 'IN TIME', align: 'right', cell: ({ mix }) => percent(mix.inTime!.share) },
      { title: '95% SURE', cell: ({ mix }) => `${percent(mix.inTime!.low)} to ${percent(mix.inTime!.high)}` },
      { title: 'P50', align: 'right', cell: ({ mix }) => span(mix.waitMs!.p50) },
      { title: 'P95', align: 'right', cell: ({ mix }) => span(mix.waitMs!.p95) },
      { title: 'MAX', align: 'right', cell: ({ mix }) => span(mix.waitMs!.max) },
      { title: 'COST', align: 'right', cell: ({ mix }) => costCells(mix.cost, view).join(', ') },
      {
        title: 'OBJECTIVE',
        cell: ({ mix }) => mix.objective,
        style: ({ mix }) => (mix.objective === 'met' ? 'good' : 'warning'),
      },
      { title: 'WHY LISTED', cell: ({ label }) => label },
    ],
    listedMixes(view),
    screen,
  );
}

/** Each mix once, with all reasons. */
function listedMixes({ chosen, levels, single, frontier, asked }: PlanView): { mix: MixResult; label: string }[] {
  const listed = new Map<string, { mix: MixResult; labels: string[] }>();
  const add = (mix: MixResult | undefined, label: string) => {
    if (!mix) return;
    const entry = listed.get(nameOf(mix.counts)) ?? { mix, labels: [] };
    entry.labels.push(label);
    listed.set(nameOf(mix.counts), entry);
  };
  const [none] = frontier.filter(({ counts }) => nameOf(counts) === 'none');
  add(none, 'no standby nodes');
  add(chosen, 'chosen');
  for (const { quantile, mix } of levels) add(mix, `cheapest for ${percent(quantile)} within ${span(asked.withinMs)}`);
  for (const { tier, mix } of single) add(mix, `${tier} only`);
  return [...listed.values()].map(({ mix, labels }) => ({ mix, label: labels.join('; ') }));
}

function secondsTable(view: PlanView, screen: Screen): string {
  return renderTable(
    [
      {
        title: `${percent(view.asked.quantile)} READY WITHIN`,
        align: 'right',
        cell: (step) => span(step.surelyWithinMs),
      },
      { title: 'KEEP', cell: ({ counts }) => nameOf(counts) },
      { title: 'COST', align: 'right', cell: ({ cost }) => costCells(cost, view).join(', ') },
      { title: 'SAVES', align: 'right', cell: ({ marginal }) => (marginal ? span(marginal.savedMs) : '') },
      {
        title: 'EACH SECOND COSTS',
        align: 'right',
        cell: ({ marginal }) =>
          marginal?.perHourPerSecond === undefined ? '' : `${money(marginal.perHourPerSecond)} ${view.currency}/h`,
      },
    ],
    view.frontier,
    screen,
  );
}

function costCells(cost: MixCost, { currency }: Pick<PlanView, 'currency'>): string[] {
  if (cost.perHour !== undefined && cost.perMonth !== undefined)
    return [`${money(cost.perHour)} ${currency}/h`, `${money(cost.perMonth)} ${currency}/month`];
  if (cost.memoryBytes === undefined || cost.diskBytes === undefined) return [`${cost.nodes} nodes`];
  return [`${gigabytes(cost.memoryBytes)} memory`, `${gigabytes(cost.diskBytes)} disk`];
}

const lines = (title: string, texts: readonly string[]) => `${title}:\n${texts.map((text) => `  ${text}\n`).join('')}`;
const span = (ms: number) => formatSpan(Math.round(ms) * 1000);
const percent = (share: number) => `${Number((share * 100).toFixed(share > 0.99 ? 2 : 1))}%`;
const money = (value: number) => String(Number(value.toPrecision(3)));
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
