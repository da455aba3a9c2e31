// cli/standby/claim.ts: `headstart standby claim POOL`: takes standby nodes into service and waits until they are Ready.
import { Option } from 'commander';
import { formatSpan } from '../../base/duration.ts';
import type { Instance } from '../../vms/pools.ts';
import { type Claim, STANDBY_TIERS, type StandbyMember } from '../../vms/standby.ts';
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { openStandby } from '../compose/open-standby.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { timeoutOption, wholeNumber } from '../pool/arguments.ts';
import { printPoolPlan } from '../pool/dry-run.ts';
import type { Verb } from '../verb.ts';
import { type StandbyOptions, withStandbyOptions } from './vms-option.ts';

interface Options extends StandbyOptions {
  count: number;
  wait: boolean;
  refill: boolean;
  timeout: number;
  dryRun?: boolean;
}

export const verb = standbyClaim(openPools);

export function standbyClaim(open: OpenPools): Verb {
  return {
    examples: ['standby claim pool1', 'standby claim pool1 --count 3 --json', 'standby claim pool1 --vms azure'],
    configure: (command) =>
      withStandbyOptions(command)
        .argument('<POOL>', 'the name of the pool')
        .addOption(
          new Option('--count <N>', 'how many nodes to add; new ones are booted when too few are parked')
            .argParser(wholeNumber(1, 100))
            .default(1),
        )
        .option('--no-wait', 'return once the nodes continue, without waiting until they are Ready')
        .option('--no-refill', 'prepare no new standby nodes in their place; `standby up POOL` does')
        .addOption(timeoutOption('fail if a node is not Ready after this time', '15min'))
        .option('--dry-run', 'print what would be claimed, and claim nothing'),
    async run([name = ''], options: Options, deps) {
      const startedMs = deps.nowUs() / 1000;
      const signal = deps.signal();
      const site = await openStandby(options, deps, open, 'run');
      const { ref } = await site.find(name, { signal });
      if (options.dryRun) {
        const ready = (await site.standby.readStandby(ref, { signal }))?.members.filter(isParked) ?? [];
        return printPoolPlan(deps, name, plannedClaims(ready, options.count), options);
      }
      const progress = showProgress(deps, 'StandbyEvent', options);
      progress.step(`claiming ${options.count} of pool ${name}`);
      const interruption = {
        code: 'standby/interrupted',
        kept: `Nodes that were claimed belong to pool ${name} now.`,
        next: site.awaitReady ? `headstart pool show ${name}` : `headstart standby status ${name} --vms azure`,
      };
      const booted = new Map<Instance, string>();
      const claims = await orInterrupted(signal, interruption, async () => {
        const taken = await site.standby.claim(ref, options.count, {
          signal,
          onWaiting: progress.waiting,
          leaveEmpty: !options.refill,
        });
        if (options.wait && site.awaitReady) {
          const onBoot = (instance: Instance, reason: string) => void booted.set(instance, reason);
          const waiting = { onWaiting: progress.waiting, onBoot, deadlineMs: options.timeout, signal };
          await site.awaitReady(
            taken.map(({ instance }) => instance),
            waiting,
          );
        }
        return taken.map((claim) => orBooted(claim, booted.get(claim.instance)));
      }).finally(progress.end);
      const isReady = options.wait && site.awaitReady !== undefined;
      const tookMs = deps.nowUs() / 1000 - startedMs;
      if (options.json)
        return printJsonLine(deps, 'StandbyClaim', {
          pool: name,
          claims: claims.map(claimView),
          isReady,
          tookMs,
        });
      const end = isReady ? `; Ready after ${formatSpan(Math.round(tookMs / 10) * 10_000)}` : '';
      for (const claim of claims) deps.stdout(`${describe(claim)}${claims.length === 1 ? end : ''}\n`);
      if (claims.length > 1 && end) deps.stdout(`all${end.slice(1)}\n`);
    },
  };
}

const isParked = ({ state }: StandbyMember) => state === 'ready';

/** The fastest tier first, like a claim. */
function plannedClaims(ready: readonly StandbyMember[], count: number): string[] {
  const fastest = STANDBY_TIERS.flatMap((tier) => ready.filter((member) => member.tier === tier));
  const parked = fastest.slice(0, count).map(({ instance, tier }) => `claim ${instance.id} (${tier})`);
  const cold = count - parked.length;
  return cold > 0 ? [...parked, `start ${cold} more from the pool's image`] : parked;
}

/** It continued, and had to boot all the same. */
const orBooted = (claim: Claim, why: string | undefined): Claim =>
  why === undefined ? claim : { ...claim, from: 'cold', why };

const claimView = ({ instance, from, why }: Claim) => ({
  instance: instance.computerName,
  from,
  ...(why !== undefined && { why }),
});

const describe = ({ instance, from, why }: Claim) =>
  `${instance.computerName}: ${from}${why === undefined ? '' : ` (${why})`}`;
