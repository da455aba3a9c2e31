// cli/pool/scale.ts: `headstart pool scale NAME N`: adds instances from the current model, or deletes the newest.

import { InvalidArgumentError } from 'commander';
import { UserError } from '../../base/errors.ts';
import { awaitAllUp } from '../../local/await-up.ts';
import { findLocalPool } from '../../local/find.ts';
import type { StartedInstance } from '../../vms/qemu/local-provider.ts';
import type { StandbyMember } from '../../vms/standby.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { timeoutOption, wholeNumber } from './arguments.ts';
import { printPoolPlan } from './dry-run.ts';
import { readPoolView, renderPool, shortImageName } from './view.ts';

interface Options extends PoolOptions {
  wait: boolean;
  timeout: number;
  dryRun?: boolean;
}

export const verb = poolScale(openPools);

export function poolScale(open: OpenPools): Verb {
  return {
    examples: ['pool scale pool1 5', 'pool scale pool1 0 --dry-run'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<NAME>', 'the name of the pool')
        .argument('<N>', 'how many instances to have; the newest are deleted first, protected ones stay')
        .option('--no-wait', 'return once new instances have started, without waiting until they are up')
        .addOption(timeoutOption('fail if an instance is not up after this time', '15min'))
        .option('--dry-run', 'print what would change, and change nothing'),
    async run([name = '', text = ''], options: Options, deps) {
      const count = countOf(text);
      const signal = deps.signal();
      const provider = await open(options, deps, 'run');
      const pool = await findLocalPool(provider, name, { signal });
      const before = await provider.pools.listInstances(pool.ref, { signal });
      const more = count - before.length;
      const image = shortImageName(pool.model.image);
      const parked = (await provider.standby.readStandby(pool.ref, { signal }))?.members.filter(isReady) ?? [];
      const changes = changesOf(more, parked.length, image);
      if (options.dryRun) return printPoolPlan(deps, name, changes, options);
      const progress = showProgress(deps, 'PoolEvent', options);
      const interruption = {
        code: 'pool/interrupted',
        kept: `Changes that were made to pool ${name} stay.`,
        next: `headstart pool scale ${name} ${count}`,
      };
      await orInterrupted(signal, interruption, async () => {
        for (const change of changes) progress.step(change);
        const made = await provider.pools.setCapacity(pool.ref, count, { signal, onWaiting: progress.waiting });
        for (const instance of made) if (isClaim(instance)) progress.step(describeClaim(instance));
        if (options.wait)
          await awaitAllUp(provider.guests, made, {
            onWaiting: progress.waiting,
            onBoot: ({ computerName }, why) => progress.step(describeClaim({ computerName, from: 'cold', why })),
            deadlineMs: options.timeout,
            signal,
          }).finally(progress.end);
      });
      progress.end();
      const view = await readPoolView(provider, await findLocalPool(provider, name, { signal }), signal);
      if (options.json) return printJsonLine(deps, 'Pool', view);
      deps.stdout(renderPool(view, deps.nowUs() / 1000, screenOf(deps)));
    },
  };
}

const isReady = ({ state }: StandbyMember) => state === 'ready';

/** Worth a line: it came from standby, or the user should know why it did not. */
const isClaim = ({ from, why }: StartedInstance) => from !== 'cold' || why !== undefined;

function describeClaim({ computerName, from, why }: Pick<StartedInstance, 'computerName' | 'from' | 'why'>): string {
  return `${computerName} was ${from}${why === undefined ? '' : `: ${why}`}`;
}

function changesOf(more: number, parked: number, image: string): string[] {
  const claims = Math.min(Math.max(0, more), parked);
  const taken = claims > 0 ? [`take ${claims} from standby`] : [];
  if (more > 0) return [...taken, ...(more > claims ? [`start ${more - claims} more from ${image}`] : [])];
  return more < 0 ? [`delete ${-more} with their disks, the newest first, except protected ones`] : [];
}

function countOf(text: string): number {
  try {
    return wholeNumber(0, 100)(text);
  } catch (cause) {
    if (!(cause instanceof InvalidArgumentError)) throw cause;
    throw new UserError(cause.message, {
      code: 'pool/bad-count',
      next: 'give the number of instances, as in `pool scale pool1 3`',
    });
  }
}
