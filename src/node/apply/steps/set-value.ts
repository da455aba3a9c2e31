// node/apply/steps/set-value.ts: how is a value of the running system set, or taken away again? Each may be done again.
import { dirname } from 'node:path';
import { KUBECONFIG_PATH } from '../../desired/aspects/join.ts';
import { RULES_PATH } from '../../desired/aspects/metadata-firewall.ts';
import { sysctlPath } from '../../desired/aspects/sysctl.ts';
import type { Step } from '../../desired/tree.ts';
import { firstInterface, isSwapOn } from '../../observe/live-values.ts';
import { errnoOf, StepFailed } from '../failures.ts';
import type { StagedFiles } from './stage.ts';
import { command, type ExecutionDeps, hasSucceeded, pathBelowRoot } from './step-command.ts';

type SetStep = Extract<Step, { do: 'set' }>;

export interface ValueContext {
  deps: ExecutionDeps;
  staged: StagedFiles;
  /** Takes the folders with new or fewer names in them, also of a step that fails. */
  touched: Set<string>;
}

export async function setValue({ kind, key, value }: SetStep, context: ValueContext): Promise<void> {
  const { deps, staged, touched } = context;
  switch (kind) {
    case 'sysctl':
      return setInKernel(sysctlPath(key), value, deps);
    case 'host-name':
      return setInKernel('/proc/sys/kernel/hostname', value, deps);
    case 'mtu': {
      // Without a network there is nothing to set yet: planned again until there is, and no reason to take the rest back.
      const name = await interfaceInTime(deps);
      return name === undefined ? undefined : setInKernel(`/sys/class/net/${name}/mtu`, value, deps);
    }
    case 'swap':
      await clearValue({ kind, key }, context);
      return makeSwap(key, value, context);
    case 'firewall':
      return command(['nft', '-f', pathBelowRoot(RULES_PATH, deps)], deps);
    case 'kubeconfig': {
      const waiting = staged.get(KUBECONFIG_PATH);
      if (waiting === undefined) return;
      deps.disk.rename(waiting, KUBECONFIG_PATH);
      touched.add(dirname(KUBECONFIG_PATH));
      return;
    }
    case 'label':
      // Planned again as long as it is not there, and no reason to take the rest back.
      await hasSucceeded(() => deps.node.setLabel(key, value));
      return;
    default:
      throw new Error(`${kind} is not set on a node`);
  }
}

const NETWORK_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** The network may still be on its way: a kubelet that starts before the value is set has pods that would have to be drained for it. */
async function interfaceInTime({ look, clock }: ExecutionDeps): Promise<string | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const name = firstInterface(look);
    if (name !== undefined || waitedMs >= NETWORK_MS) return name;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

export async function clearValue(
  { kind, key }: Pick<SetStep, 'kind' | 'key'>,
  { deps, touched }: ValueContext,
): Promise<void> {
  switch (kind) {
    case 'swap':
      if (isSwapOn(key, deps.look)) await command(['swapoff', pathBelowRoot(key, deps)], deps);
      deps.disk.remove(key);
      touched.add(dirname(key));
      return;
    case 'firewall':
      // Made before it is deleted, so that there is something to delete.
      return command(['nft', '-f', '-'], deps, {
        input: `table inet ${key}\ndelete table inet ${key}\n`,
      });
    case 'label':
      await hasSucceeded(() => deps.node.setLabel(key, undefined));
      return;
    default:
      throw new Error(`${kind} is not cleared on a node`);
  }
}

/** What could not be made does not stay: it may be what filled the disk. */
async function makeSwap(file: string, bytes: string, { deps, touched }: ValueContext): Promise<void> {
  const { disk } = deps;
  const place = pathBelowRoot(file, deps);
  disk.create(file, new Uint8Array(), { mode: 0o600 });
  touched.add(dirname(file));
  try {
    await command(['fallocate', '--length', bytes, place], deps, { code: 'apply/disk-full' });
    await command(['mkswap', place], deps);
    await command(['swapon', place], deps);
  } catch (error) {
    disk.remove(file);
    throw error;
  }
}

function setInKernel(path: string, value: string, { disk }: ExecutionDeps): void {
  try {
    disk.setKernelValue(path, value);
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    throw new StepFailed('apply/setting-refused', `${path} = ${value}: ${code}`, error);
  }
}
