// cli/standby/plan.ts: `headstart standby plan POOL`: how many standby nodes of which tier meet an objective at the least cost?
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { endsOf } from '../../boot/model/total.ts';
import { sinceStart } from '../../boot/questions/check/measured-time.ts';
import { findLocalPool } from '../../local/find.ts';
import { readStandbyHistory, type StandbyHistory } from '../../local/standby-history.ts';
import type { Arrivals } from '../../standby/arrivals/arrivals.ts';
import { chooseMix, type PlanAnswer } from '../../standby/plan/choose-mix.ts';
import type { TierSize } from '../../standby/plan/cost.ts';
import { unitOf } from '../../standby/plan/prices.ts';
import { consideredTiers, type Objective, type PlanQuestion, type ReadyTier } from '../../standby/plan/question.ts';
import { STANDBY_TIERS, type StandbyTier } from '../../vms/standby.ts';
import { readSide } from '../boot/read-side.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { wholeNumber } from '../pool/arguments.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { measuringCommand } from './measuring-command.ts';
import { objective, readyTimes, refillTimes, type TierTimes } from './plan-options.ts';
import { type MeasuredTier, type PlanView, renderPlan } from './plan-view.ts';
import { readArrivals } from './read-arrivals.ts';
import { readPricesFile } from './read-prices-file.ts';

interface Options extends PoolOptions {
  objective: Objective;
  arrivals?: string;
  prices?: string;
  boots?: string[];
  ready?: TierTimes;
  refill?: TierTimes;
  most: number;
  refillsAtOnce: number;
}

export const verb = standbyPlan(openPools);

/** Some seconds of replaying. */
const MOST_REPLAYED = 40e6;

export function standbyPlan(open: OpenPools): Verb {
  return {
    examples: [
      "standby plan pool1 --objective '95% within 10s' --prices prices.yaml",
      'standby plan pool1 --arrivals arrivals.csv --ready frozen=2s,stopped=15s,cold=25s --json',
    ],
    notes:
      'Arrivals: one time per line, optionally with a comma and a number of nodes; JSON; or `kubectl get events -A -o json`\n' +
      '(scale-ups and registrations) and `kubectl get nodes -o json`. Default: what the pool on this machine recorded.',
    configure: (command) =>
      withPoolOptions(command)
        .argument('<POOL>', 'the name of the pool')
        .addOption(
          new Option('--objective <TEXT>', 'which share of the nodes is to be Ready within which time')
            .argParser(objective)
            .default(objective('95% within 10s'), '95% within 10s'),
        )
        .option('--arrivals <FILE>', 'when nodes were asked for')
        .option('--prices <FILE>', 'YAML or JSON with prices; without it, memory and disk are counted')
        .option('--boots <FILE|DIR...>', 'recorded boots of new nodes, for the time to Ready of a cold one')
        .addOption(
          new Option('--ready <TIMES>', 'times to Ready measured elsewhere: frozen=2s,stopped=15s,cold=25s').argParser(
            readyTimes,
          ),
        )
        .addOption(
          new Option('--refill <TIMES>', 'how long preparing one takes: frozen=45s,stopped=40s').argParser(refillTimes),
        )
        .addOption(
          new Option('--most <N>', 'at most this many nodes of each tier').argParser(wholeNumber(1, 100)).default(10),
        )
        .addOption(
          new Option('--refills-at-once <N>', 'how many are prepared at once; a local pool prepares one')
            .argParser(wholeNumber(1, 100))
            .default(1),
        ),
    async run([name = ''], options: Options, deps) {
      const prices = options.prices === undefined ? undefined : await readPricesFile(options.prices);
      const history = await historyOf(open, name, options, deps);
      const arrivals = options.arrivals === undefined ? ofPool(history) : await readArrivals(options.arrivals);
      const boots = options.boots === undefined ? { coldMs: [], notes: [] } : await readBootTimes(options.boots, deps);
      const readyMs = { ...timesOf([...STANDBY_TIERS, 'cold'], history?.readyMs, options.ready), cold: [] as number[] };
      readyMs.cold = options.ready?.cold ?? [...(history?.readyMs.cold ?? []), ...boots.coldMs];
      if (readyMs.cold.length === 0) throw noColdTime(name);
      const measuredRefills = timesOf(STANDBY_TIERS, history?.refillMs, options.refill);
      const tiers = consideredTiers({ readyMs });
      const refillMs = Object.fromEntries(tiers.map((tier) => [tier, measuredRefills[tier] ?? readyMs.cold]));
      const { unit, why } = unitOf(tiers, prices, sizesOf(history));
      const most = { paused: options.most, frozen: options.most, stopped: options.most };
      const question: PlanQuestion = {
        ...{ arrivalsMs: arrivals.atMs, readyMs, refillMs, unit, most },
        ...{ refillsAtOnce: options.refillsAtOnce, objective: options.objective },
      };
      const answer = chooseMix(question, { mostReplayed: MOST_REPLAYED });
      const view: PlanView = {
        ...answer,
        pool: name,
        objective: `${Number((options.objective.quantile * 100).toFixed(3))}% within ${options.objective.withinMs / 1000}s`,
        asked: options.objective,
        ...(unit.kind === 'money' && { currency: unit.currency }),
        ...(arrivals.atMs.length > 0 && { observed: observe(arrivals.atMs) }),
        measured: [...tiers, 'cold' as const].map((tier) => measuredTier(tier, question, measuredRefills)),
        leftOut: STANDBY_TIERS.filter((tier) => !tiers.includes(tier)).map((tier) => ({
          tier,
          command: measuringCommand(name, tier, history?.counts),
        })),
        assumptions: assumptionsOf(question, measuredRefills),
        notes: [
          ...arrivals.notes,
          ...boots.notes,
          ...(why === undefined ? [] : [capital(`${why}.`)]),
          ...early(answer),
        ],
        ...commandOf(name, answer, history),
      };
      if (options.json) return printJson(deps, 'StandbyPlan', view);
      deps.stdout(renderPlan(view, screenOf(deps)));
    },
  };
}

/** With arrivals and times from elsewhere, the pool need not be on this machine. */
async function historyOf(open: OpenPools, name: string, options: Options, deps: CliDeps) {
  const provider = await open(options, deps);
  const isGiven = options.arrivals !== undefined && (options.ready?.cold !== undefined || options.boots !== undefined);
  if (isGiven && !(await provider.pools.listPools()).some(({ ref }) => ref.name === name)) return undefined;
  return readStandbyHistory(provider, (await findLocalPool(provider, name, {})).ref);
}

function ofPool(history: StandbyHistory | undefined): Arrivals {
  const notes = [
    'Arrivals are those of the instances that the pool has now; deleted ones left no record (--arrivals).',
  ];
  return { atMs: history?.arrivalsMs ?? [], notes };
}

async function readBootTimes(paths: readonly string[], deps: CliDeps): Promise<{ coldMs: number[]; notes: string[] }> {
  const records = await readSide(paths, deps);
  const coldMs = records.flatMap((record) => {
    const readyUs = endsOf(record).get('node-ready');
    const took = readyUs === undefined ? undefined : sinceStart(record, readyUs);
    return took && !took.isLowerBound && took.us > 0 ? [took.us / 1000] : [];
  });
  const skipped = records.length - coldMs.length;
  return {
    coldMs,
    notes: [
      'Recorded boots count from kernel start: what comes before it is not in their time to Ready.',
      ...(skipped > 0 ? [`${skipped} of ${records.length} recorded boots do not say when the node was Ready.`] : []),
    ],
  };
}

/** What the user gives replaces what the pool recorded of that tier. */
function timesOf<Tier extends ReadyTier>(
  tiers: readonly Tier[],
  measured: Readonly<Record<Tier, number[]>> | undefined,
  given: TierTimes | undefined,
): Partial<Record<Tier, number[]>> {
  const times = tiers.map((tier) => [tier, given?.[tier] ?? measured?.[tier] ?? []] as const);
  return Object.fromEntries(times.filter(([, values]) => values.length > 0)) as Partial<Record<Tier, number[]>>;
}

/** The largest of each tier: the others will grow. */
function sizesOf(history: StandbyHistory | undefined): Partial<Record<StandbyTier, TierSize>> {
  const sizes: Partial<Record<StandbyTier, TierSize>> = {};
  for (const { tier, memoryBytes, diskBytes } of history?.sizes ?? [])
    sizes[tier] = {
      memoryBytes: Math.max(memoryBytes, sizes[tier]?.memoryBytes ?? 0),
      diskBytes: Math.max(diskBytes, sizes[tier]?.diskBytes ?? 0),
    };
  return sizes;
}

function measuredTier(tier: ReadyTier, question: PlanQuestion, refills: TierTimes): MeasuredTier {
  const ready = question.readyMs[tier]!;
  const readyMs = { values: ready.length, p50: medianOf(ready), max: Math.max(...ready) };
  if (tier === 'cold') return { tier, readyMs };
  const [measured, used] = [refills[tier], question.refillMs[tier]!];
  return {
    tier,
    readyMs,
    refillMs: { values: measured?.length ?? 0, p50: medianOf(used), isAssumed: measured === undefined },
  };
}

function observe(atMs: readonly number[]) {
  const sorted = Float64Array.from(atMs).sort();
  let [first, mostInAMinute] = [0, 0];
  for (const [n, ms] of sorted.entries()) {
    while (ms - sorted[first]! >= 60_000) first++;
    mostInAMinute = Math.max(mostInAMinute, n - first + 1);
  }
  return { from: new Date(sorted[0]!).toISOString(), to: new Date(sorted.at(-1)!).toISOString(), mostInAMinute };
}

function assumptionsOf({ refillsAtOnce, refillMs }: PlanQuestion, measured: TierTimes): string[] {
  const assumed = Object.keys(refillMs).filter((tier) => measured[tier as ReadyTier] === undefined);
  return [
    'Nodes will be asked for as in the past. Arrivals of one burst are not independent, so the intervals are too narrow.',
    `The pool is full at the first arrival; ${refillsAtOnce} at a time ${refillsAtOnce === 1 ? 'is' : 'are'} replaced.`,
    'The cost is that of a full pool; preparing a node costs nothing more.',
    ...(assumed.length > 0
      ? [`A refill of ${assumed.join(', ')} takes as long as a cold boot; give measured times with --refill.`]
      : []),
  ];
}

const early = ({ mixes, isComplete }: PlanAnswer) =>
  mixes.examined < mixes.all
    ? [
        `The search ended after ${mixes.examined} of ${mixes.all} mixes, in order of cost. ${
          isComplete ? 'No cheaper mix meets the objective, but faster ones may be missing.' : 'Lower --most.'
        }`,
      ]
    : [];

/** Tiers that the pool keeps now and the choice does not are set to 0: `standby up` leaves others as they are. */
function commandOf(pool: string, { verdict, chosen }: PlanAnswer, history: StandbyHistory | undefined) {
  const kept = STANDBY_TIERS.filter((tier) => (history?.counts?.[tier] ?? 0) > 0);
  if (verdict === 'none-needed') return kept.length > 0 ? { command: `headstart standby down ${pool}` } : {};
  if (verdict !== 'chosen' || !chosen) return {};
  const counts = STANDBY_TIERS.filter((tier) => chosen.counts[tier] > 0 || kept.includes(tier));
  return {
    command: ['headstart standby up', pool, ...counts.map((tier) => `--${tier} ${chosen.counts[tier]}`)].join(' '),
  };
}

function noColdTime(pool: string): UserError {
  return new UserError(`pool ${pool} has no measured boot of a new node: its time to Ready is not known`, {
    code: 'standby/no-cold-boot',
    kept: 'Nothing was changed.',
    next: `measure one, then give its time with --ready cold=25s, or its record with --boots FILE`,
  });
}

const medianOf = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
