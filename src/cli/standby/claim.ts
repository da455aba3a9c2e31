// cli/standby/claim.ts: `headstart standby claim POOL`: takes standby nodes into service and waits until they are Ready.
import { Option } from 'commander';
import { formatSpan } from '../../base/duration.ts';
import { awaitAllUp } from '../../local/await-up.ts';
import { findLocalPool } from '../../local/find.ts';
import { type Claim, STANDBY_TIERS, type StandbyMember } from '../../vms/standby.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { timeoutOption, wholeNumber } from '../pool/arguments.ts';
import { printPoolPlan } from '../pool/dry-run.ts';
import type { Verb } from '../verb.ts';

interface Options extends PoolOptions {
  count: number;
  wait: boolean;
  refill: boolean;
  timeout: number;
  dryRun?: boolean;
}

export const verb = standbyClaim(openPools);

export function standbyClaim(open: OpenPools): Verb {
  return {
    examples: ['standby claim pool1', 'standby claim pool1 --count 3 --json'],
    configure: (command) =>
      withPoolOptions(command)
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
      const provider = await open(options, deps, 'run');
      const { ref } = await findLocalPool(provider, name, { signal });
      if (options.dryRun) {
        const ready = (await provider.standby.readStandby(ref, { signal }))?.members.filter(isReady) ?? [];
        return printPoolPlan(deps, name, plannedClaims(ready, options.count), options);
      }
      const progress = showProgress(deps, 'StandbyEvent', options);
      progress.step(`claiming ${options.count} of pool ${name}`);
      const interruption = {
        code: 'standby/interrupted',
        kept: `Nodes that were claimed belong to pool ${name} now.`,
        next: `headstart pool show ${name}`,
      };
      const claims = await orInterrupted(signal, interruption, async () => {
        const taken = await provider.standby.claim(ref, options.count, {
          signal,
          onWaiting: progress.waiting,
          leaveEmpty: !options.refill,
        });
        if (options.wait) {
          const waiting = { onWaiting: progress.waiting, deadlineMs: options.timeout, signal };
          await awaitAllUp(
            provider.guests,
            taken.map(({ instance }) => instance),
            waiting,
          );
        }
        return taken;
      }).finally(progress.end);
      const tookMs = deps.nowUs() / 1000 - startedMs;
      if (options.json)
        return printJsonLine(deps, 'StandbyClaim', {
          pool: name,
          claims: claims.map(claimView),
          isReady: options.wait,
          tookMs,
        });
      const end = options.wait ? `; Ready after ${formatSpan(Math.round(tookMs / 10) * 10_000)}` : '';
      for (const claim of claims) deps.stdout(`${describe(claim)}${claims.length === 1 ? end : ''}\n`);
      if (claims.length > 1 && end) deps.stdout(`all${end.slice(1)}\n`);
    },
  };
}

const isReady = ({ state }: StandbyMember) => state === 'ready';

/** The fastest tier first, like a claim. */
function plannedClaims(ready: readonly StandbyMember[], count: number): string[] {
  const fastest = STANDBY_TIERS.flatMap((tier) => ready.filter((member) => member.tier === tier));
  const parked = fastest.slice(0, count).map(({ instance, tier }) => `claim ${instance.id} (${tier})`);
  const cold = count - parked.length;
  return cold > 0 ? [...parked, `start ${cold} more from the pool's image`] : parked;
}

const claimView = ({ instance, from, why }: Claim) => ({
  instance: instance.computerName,
  from,
  ...(why !== undefined && { why }),
});

const describe = ({ instance, from, why }: Claim) =>
  `${instance.computerName}: ${from}${why === undefined ? '' : ` (${why})`}`;
