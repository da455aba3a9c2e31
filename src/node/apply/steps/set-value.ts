// node/apply/steps/set-value.ts: how is a value of the running system set or cleared? Every call is idempotent.
import { dirname } from 'node:path';
import { KUBECONFIG_PATH } from '../../desired/aspects/join.ts';
import { RULES_PATH } from '../../desired/aspects/metadata-firewall.ts';
import { sysctlPath } from '../../desired/aspects/sysctl.ts';
import type { PlanStep } from '../../desired/tree.ts';
import { firstInterface, isSwapOn } from '../../observe/live-values.ts';
import { errnoOf, StepFailed } from '../failures.ts';
import type { StagedFiles } from './stage.ts';
import { command, type ExecutionDeps, hasSucceeded, pathBelowRoot } from './step-command.ts';

type SetStep = Extract<PlanStep, { do: 'set' }>;

export interface ValueContext {
  deps: ExecutionDeps;
  staged: StagedFiles;
  /** Collects the folders in which a name was added or removed, also by a step that fails. */
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
      // Without a network interface there is nothing to set. The next plan retries; this is no reason for a rollback.
      const name = await interfaceInTime(deps);
      return name === undefined ? undefined : setInKernel(`/sys/class/net/${name}/mtu`, value, deps);
    }
    case 'swap':
      await clearValue({ kind, key }, context);
      return makeSwap(key, value, context);
    case 'firewall':
      return command(['nft', '-f', pathBelowRoot(RULES_PATH, deps)], deps);
    case 'kubeconfig': {
      const stagedFile = staged.get(KUBECONFIG_PATH);
      if (stagedFile === undefined) return;
      deps.disk.rename(stagedFile, KUBECONFIG_PATH);
      touched.add(dirname(KUBECONFIG_PATH));
      return;
    }
    case 'label':
      // If it fails, the next plan retries; this is no reason for a rollback.
      await hasSucceeded(() => deps.node.setLabel(key, value));
      return;
    default:
      throw new Error(`cannot set ${kind} on a node`);
  }
}

const NETWORK_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** Waits for the network: if kubelet started before the MTU is set, setting it later would require a drain. */
async function interfaceInTime({ host, clock }: ExecutionDeps): Promise<string | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const name = firstInterface(host);
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
      if (isSwapOn(key, deps.host)) await command(['swapoff', pathBelowRoot(key, deps)], deps);
      deps.disk.remove(key);
      touched.add(dirname(key));
      return;
    case 'firewall':
      // Deleting a missing table fails, so the input creates it first.
      return command(['nft', '-f', '-'], deps, {
        input: `table inet ${key}\ndelete table inet ${key}\n`,
      });
    case 'label':
      await hasSucceeded(() => deps.node.setLabel(key, undefined));
      return;
    default:
      throw new Error(`cannot clear ${kind} on a node`);
  }
}

/** Removes the file on failure: it may be what filled the disk. */
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
