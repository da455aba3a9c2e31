// node/apply/steps/stage.ts: does the disk have space for the whole change? All new files are written and synced next
// to the old ones before the first old file is replaced, so a full disk fails the change before it has changed
// anything.
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { KUBECONFIG_PATH, repointKubeconfig } from '../../desired/aspects/join.ts';
import { contentBytes } from '../../desired/bytes.ts';
import type { PlanStep } from '../../desired/tree.ts';
import type { HostReader } from '../../observe/host-reader.ts';
import type { NodeDisk } from '../disk.ts';
import { StepFailed } from '../failures.ts';

/** Path → path of its staged content. Without files that are already up to date. */
export type StagedFiles = ReadonlyMap<string, string>;

export async function stage(
  steps: readonly PlanStep[],
  { disk, host }: { disk: NodeDisk; host: HostReader },
): Promise<StagedFiles> {
  const staged = new Map<string, string>();
  const toSync: string[] = [];
  for (const step of steps) {
    if (step.do === 'make-folder') disk.makeFolder(step.path, 0o755);
    else if (step.do === 'write-file') {
      if (isUpToDate(step, host)) continue;
      disk.create(stagedPath(step.path), contentBytes(step), step);
      staged.set(step.path, stagedPath(step.path));
      toSync.push(stagedPath(step.path));
    } else if (step.do === 'make-link') {
      const seen = host.at(step.path, false);
      if (seen.kind === 'link' && seen.target === step.target) continue;
      disk.makeLink(stagedPath(step.path), step.target);
      staged.set(step.path, stagedPath(step.path));
    } else if (step.do === 'set' && step.kind === 'kubeconfig') {
      if (!stageKubeconfig(step.value, disk, host)) continue;
      staged.set(KUBECONFIG_PATH, stagedPath(KUBECONFIG_PATH));
      toSync.push(stagedPath(KUBECONFIG_PATH));
    }
  }
  await disk.syncFiles(toSync);
  return staged;
}

/** Undoes the staging of a change that executed no step. */
export function unstage(steps: readonly PlanStep[], disk: NodeDisk): void {
  removeStaged(steps, disk);
  for (const step of [...steps].reverse()) if (step.do === 'make-folder') disk.removeFolder(step.path);
}

export function removeStaged(steps: readonly PlanStep[], disk: NodeDisk): void {
  for (const step of steps) {
    if (step.do === 'write-file' || step.do === 'make-link') disk.remove(stagedPath(step.path));
    else if (step.do === 'set' && step.kind === 'kubeconfig') disk.remove(stagedPath(KUBECONFIG_PATH));
  }
}

/**
 * In the same folder, for an atomic rename; hidden from programs that read *.d folders; derived from the path, so a
 * crashed run's file is found.
 */
export function stagedPath(path: string): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return `${dirname(path)}/.headstart-${name}.new`;
}

function isUpToDate(step: Extract<PlanStep, { do: 'write-file' }>, host: HostReader): boolean {
  const seen = host.at(step.path, true);
  if (seen.kind !== 'file' || seen.mode !== step.mode || seen.uid !== step.uid || seen.gid !== step.gid) return false;
  return contentBytes(seen).equals(contentBytes(step));
}

/** kubelet writes this file; headstart changes only the server address. False: it is already right. */
function stageKubeconfig(server: string, disk: NodeDisk, host: HostReader): boolean {
  const seen = host.at(KUBECONFIG_PATH, true);
  if (seen.kind !== 'file') throw new StepFailed('apply/write-failed', `${KUBECONFIG_PATH} is not a file`);
  const text = contentBytes(seen).toString('utf8');
  const repointed = repointKubeconfig(text, server);
  if (repointed === text) return false;
  disk.create(stagedPath(KUBECONFIG_PATH), Buffer.from(repointed), seen);
  return true;
}
