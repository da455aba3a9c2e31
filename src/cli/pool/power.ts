// cli/pool/power.ts: the common part of `pool start`, `pool stop` and `pool reimage`.

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
import { printPoolPlan } from './dry-run.ts';
import { readInstanceView } from './view.ts';

export interface PowerOptions extends PoolOptions {
  wait?: boolean;
  timeout?: number;
  yes?: boolean;
  dryRun?: boolean;
}

export interface InstanceAction {
  /** The verb, such as `start`. */
  name: string;
  doing: string;
  examples: string[];
  /** What the action destroys. Set: the verb asks for confirmation. */
  loses?: string;
  /** The instance runs afterwards, and the verb waits until its guest is up. */
  endsUp: boolean;
  /** Standby instances can be named too. */
  withStandby?: true;
  apply(provider: QemuProvider, instance: InstanceRef, options: CallOptions): Promise<void>;
}

export function actionVerb(action: InstanceAction, open: OpenPools): Verb {
  return {
    examples: action.examples,
    configure(command) {
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .option('--dry-run', 'print what would be done, and do nothing');
      if (action.loses !== undefined) command.option('--yes', 'do not ask for confirmation');
      if (!action.endsUp) return;
      command
        .option('--no-wait', 'return once the instance has started, without waiting until it is up')
        .addOption(timeoutOption('fail if the instance is not up after this time', '15min'));
    },
    async run([name = ''], options: PowerOptions, deps) {
      const provider = await open(options, deps, action.endsUp ? 'run' : 'read');
      const instance = await findLocalInstance(provider, name, { ...(action.withStandby && { withStandby: true }) });
      const pool = instance.ref.pool.name;
      if (options.dryRun)
        return printPoolPlan(deps, pool, [`${action.name} ${name} (it is ${instance.power})`], options);
      if (action.loses !== undefined) confirm(`${action.name} ${name}? ${action.loses}`, options, deps);
      const signal = deps.signal();
      const progress = showProgress(deps, 'PoolEvent', options);
      progress.step(`${action.doing} ${name}`);
      const interruption = {
        code: 'pool/interrupted',
        kept: `The instance ${name} still exists.`,
        next: `headstart pool ${action.name} ${name}`,
      };
      await orInterrupted(signal, interruption, () =>
        runAction(action, { provider, instance, options, progress, signal }),
      );
      progress.end();
      return printResult(provider, instance, options, deps);
    },
  };
}

interface ActionContext {
  provider: QemuProvider;
  instance: Instance;
  options: PowerOptions;
  progress: Progress;
  signal: AbortSignal;
}

async function runAction(
  action: InstanceAction,
  { provider, instance, options, progress, signal }: ActionContext,
): Promise<void> {
  await action.apply(provider, instance.ref, { signal, onWaiting: progress.waiting });
  if (!action.endsUp || !options.wait) return;
  await awaitAllUp(provider.guests, [instance], {
    onWaiting: progress.waiting,
    deadlineMs: options.timeout!,
    signal,
  }).finally(progress.end);
}

async function printResult(
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
