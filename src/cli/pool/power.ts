// cli/pool/power.ts: an order to one instance: what `pool start`, `pool stop` and `pool reimage` have in common.

import type { CallOptions } from '../../base/call-options.ts';
import { awaitAllUp } from '../../local/await-up.ts';
import { findLocalInstance } from '../../local/find.ts';
import type { Instance, InstanceRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { type OpenPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { type Progress, showProgress } from '../output/progress.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { timeoutOption } from './arguments.ts';
import { tellChanges } from './dry-run.ts';
import { readInstanceView } from './view.ts';

export interface PowerOptions extends PoolOptions {
  wait?: boolean;
  timeout?: number;
  yes?: boolean;
  dryRun?: boolean;
}

export interface Order {
  /** `start`: the verb, and what it would do. */
  name: string;
  doing: string;
  examples: string[];
  /** What is lost by it: it asks first. */
  loses?: string;
  /** The instance runs afterwards, and its guest is awaited. */
  endsUp: boolean;
  apply(provider: QemuProvider, instance: InstanceRef, options: CallOptions): Promise<void>;
}

export function orderVerb(order: Order, open: OpenPools): Verb {
  return {
    examples: order.examples,
    configure(command) {
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .option('--dry-run', 'print what would be done, and do nothing');
      if (order.loses !== undefined) command.option('--yes', 'do not ask for confirmation');
      if (!order.endsUp) return;
      command
        .option('--no-wait', 'return once the instance has started, without waiting until it is up')
        .addOption(timeoutOption('fail if the instance is not up after this time', '15min'));
    },
    async run([name = ''], options: PowerOptions, deps) {
      const provider = await open(options, deps, order.endsUp ? 'run' : 'look');
      const instance = await findLocalInstance(provider, name, {});
      const pool = instance.ref.pool.name;
      if (options.dryRun) return tellChanges(deps, pool, [`${order.name} ${name} (it is ${instance.power})`], options);
      if (order.loses !== undefined) confirm(`${order.name} ${name}? ${order.loses}`, options, deps);
      const signal = deps.signal();
      const progress = showProgress(deps, 'PoolEvent', options);
      progress.step(`${order.doing} ${name}`);
      const told = { code: 'pool/interrupted', kept: `${name} is kept.`, next: `headstart pool ${order.name} ${name}` };
      await orInterrupted(signal, told, () => carryOut(order, { provider, instance, options, progress, signal }));
      progress.end();
      return tellResult(provider, instance, options, deps);
    },
  };
}

interface Carrying {
  provider: QemuProvider;
  instance: Instance;
  options: PowerOptions;
  progress: Progress;
  signal: AbortSignal;
}

async function carryOut(order: Order, { provider, instance, options, progress, signal }: Carrying): Promise<void> {
  await order.apply(provider, instance.ref, { signal, onWaiting: progress.waiting });
  if (!order.endsUp || !options.wait) return;
  await awaitAllUp(provider.guests, [instance], {
    onWaiting: progress.waiting,
    deadlineMs: options.timeout!,
    signal,
  }).finally(progress.end);
}

async function tellResult(
  provider: QemuProvider,
  { ref, computerName }: Instance,
  { json }: PowerOptions,
  deps: CliDeps,
): Promise<void> {
  const signal = deps.signal();
  const [pool, instance] = await Promise.all([
    provider.pools.readPool(ref.pool, { signal }),
    provider.pools.readInstance(ref, { signal }),
  ]);
  const view = await readInstanceView(provider, pool!, instance!, signal);
  if (json) return printJsonLine(deps, 'PoolInstance', { pool: ref.pool.name, ...view });
  deps.stdout(`${computerName} is ${view.power}${view.isUp ? ' and up' : ''}\n`);
}
