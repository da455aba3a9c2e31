// cli/standby/up.ts: `headstart standby up POOL`: sets which standby nodes a pool keeps, and prepares those that are missing.
import { isDeepStrictEqual } from 'node:util';
import { Option } from 'commander';
import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { STANDBY_TIERS, type StandbyPolicy, type StandbyState, type StandbyTier } from '../../vms/standby.ts';
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { openStandby } from '../compose/open-standby.ts';
import type { StandbySite } from '../compose/standby-site.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import { timeSpan, wholeNumber } from '../pool/arguments.ts';
import { printPoolPlan } from '../pool/dry-run.ts';
import type { Verb } from '../verb.ts';
import { renderStandby, standbyView } from './view.ts';
import { type StandbyOptions, withStandbyOptions } from './vms-option.ts';

interface Options extends StandbyOptions, Partial<Record<StandbyTier, number>> {
  maxAge?: number;
  wait: boolean;
  leaveIfBusy?: boolean;
  dryRun?: boolean;
}

export const verb = standbyUp(openPools);

/** Of Azure; what a machine holds is less. */
const MOST = 1000;

export function standbyUp(open: OpenPools): Verb {
  return {
    examples: [
      'standby up pool1 --frozen 2',
      'standby up pool1 --frozen 3 --stopped 5 --max-age 1d',
      'standby up pool1 --stopped 5 --vms azure',
    ],
    configure(command) {
      withStandbyOptions(command).argument('<POOL>', 'the name of the pool');
      for (const tier of STANDBY_TIERS)
        command.addOption(
          new Option(`--${tier} <N>`, `keep this many ${tier} nodes: ${MEANING[tier]}`).argParser(wholeNumber(0, MOST)),
        );
      command
        .addOption(
          new Option(
            '--max-age <SPAN>',
            'replace a parked node after this time, at least 10min (default: 7d)',
          ).argParser(timeSpan),
        )
        .option('--no-wait', 'return at once, and prepare the nodes in the background')
        .addOption(new Option('--leave-if-busy', 'end if another command prepares them').hideHelp())
        .option('--dry-run', 'print what would change, and change nothing');
    },
    async run([name = ''], options: Options, deps) {
      const signal = deps.signal();
      const site = await openStandby(options, deps, open, 'run');
      const { ref } = await site.find(name, { signal });
      const before = await site.standby.readStandby(ref, { signal });
      const policy = policyOf(name, options, before);
      if (options.dryRun) return printPoolPlan(deps, name, changesOf(policy, before), options);
      const progress = showProgress(deps, 'StandbyEvent', options);
      const interruption = {
        code: 'standby/interrupted',
        kept: site.awaitReady
          ? `The standby nodes that are ready stay; one that was being prepared is discarded by the next command.`
          : 'Azure goes on to prepare the standby nodes.',
        next: `headstart standby up ${name}`,
      };
      await orInterrupted(signal, interruption, async () => {
        await setPolicy(site, ref, before, {
          decide: (seen) => policyOf(name, options, seen),
          call: { signal, onWaiting: progress.waiting },
        });
        if (!options.wait) return site.standby.refill(ref);
        const { isBusy } = await site.standby.fillStandby(ref, {
          signal,
          onWaiting: progress.waiting,
          onStep: progress.step,
          ...(options.leaveIfBusy && { ifBusy: 'leave' as const }),
        });
        if (isBusy)
          progress.step(`another command prepares the standby nodes of ${name}; see \`standby status ${name}\``);
      });
      progress.end();
      const view = standbyView(name, await site.standby.readStandby(ref, { signal }));
      if (options.json) return printJsonLine(deps, 'Standby', view);
      deps.stdout(renderStandby(view, deps.nowUs() / 1000, screenOf(deps)));
    },
  };
}

interface PolicyChange {
  decide(before: StandbyState | undefined): StandbyPolicy;
  call: CallOptions;
}

/** Counts that are not given stay as they are, also when another command changes them at the same time. */
async function setPolicy(
  { standby }: Pick<StandbySite, 'standby'>,
  pool: PoolRef,
  before: StandbyState | undefined,
  { decide, call }: PolicyChange,
): Promise<void> {
  const policy = decide(before);
  if (isDeepStrictEqual(policy, before?.policy)) return;
  try {
    await standby.setStandby(pool, policy, { ...call, from: before?.policy });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const now = await standby.readStandby(pool, call);
    if (isDeepStrictEqual(now?.policy, before?.policy)) throw error; // it was refused for another reason
    await setPolicy({ standby }, pool, now, { decide, call });
  }
}

const MEANING: Readonly<Record<StandbyTier, string>> = {
  paused: 'the process stays, and with it the memory',
  frozen: 'memory and disk are files',
  stopped: 'only the disk is kept',
};

/** Counts that are not given stay as they are. */
function policyOf(pool: string, options: Options, before: StandbyState | undefined): StandbyPolicy {
  const given = STANDBY_TIERS.some((tier) => options[tier] !== undefined);
  if (!given && !before)
    throw new UserError(`pool ${pool} keeps no standby nodes yet, and no number was given`, {
      code: 'standby/no-policy',
      kept: 'Nothing was changed.',
      next: `headstart standby up ${pool} --frozen 1`,
    });
  const countOf = (tier: StandbyTier) => options[tier] ?? before?.policy.counts[tier] ?? 0;
  const maxAgeMs = options.maxAge ?? before?.policy.maxAgeMs;
  return {
    counts: { paused: countOf('paused'), frozen: countOf('frozen'), stopped: countOf('stopped') },
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  };
}

function changesOf({ counts }: StandbyPolicy, before: StandbyState | undefined): string[] {
  const members = before?.members ?? [];
  // One that another command is preparing will be ready: a refill waits for it.
  const kept = members.filter(({ state }) => state !== 'broken');
  const broken = members.filter(({ state }) => state === 'broken');
  return [
    ...broken.map(({ instance, why }) => `discard ${instance.id}: ${why}`),
    ...STANDBY_TIERS.flatMap((tier) => {
      const more = counts[tier] - kept.filter((member) => member.tier === tier).length;
      if (more > 0) return [`prepare ${more} ${tier}`];
      return more < 0 ? [`discard ${-more} ${tier}`] : [];
    }),
  ];
}
