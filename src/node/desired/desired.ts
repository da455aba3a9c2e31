// node/desired/desired.ts: what should this node look like? Everything headstart owns on it: files with their content, live values, and the
// class of a change to each. Pure: the same document on the same machine gives the same result.

import type { NodeConfig } from '../document/config.ts';
import type { Problem } from '../document/problem.ts';
import type { Facts } from '../observe/facts.ts';
import { type AspectFunction, type AspectResult, invalidField } from './aspects/aspect.ts';
import { containerdAspect } from './aspects/containerd.ts';
import { dnsAspect } from './aspects/dns.ts';
import { filesAspect } from './aspects/files.ts';
import { hostNameAspect } from './aspects/host-name.ts';
import { hugePagesAspect } from './aspects/huge-pages.ts';
import { joinAspect } from './aspects/join.ts';
import { DEFAULT_KUBELET_ROOT, kubeletAspect, kubeletFiles } from './aspects/kubelet.ts';
import { labelsTaintsAspect } from './aspects/labels-taints.ts';
import { limitsAspect } from './aspects/limits.ts';
import { metadataFirewallAspect } from './aspects/metadata-firewall.ts';
import { modulesAspect } from './aspects/modules.ts';
import { mtuAspect } from './aspects/mtu.ts';
import { proxyAspect } from './aspects/proxy.ts';
import { registriesAspect } from './aspects/registries.ts';
import { sshKeysAspect } from './aspects/ssh-keys.ts';
import { swapAspect } from './aspects/swap.ts';
import { sysctlAspect } from './aspects/sysctl.ts';
import { timeAspect } from './aspects/time.ts';
import { trustAspect } from './aspects/trust.ts';
import { unitsAspect } from './aspects/units.ts';
import type { DesiredState, LiveId, LiveValue, OwnedFile } from './tree.ts';

/** The user's files and units come last, so that a conflict with another aspect is reported for the user's field. */
const ASPECTS: readonly AspectFunction[] = [
  modulesAspect,
  sysctlAspect,
  hugePagesAspect,
  limitsAspect,
  hostNameAspect,
  dnsAspect,
  mtuAspect,
  timeAspect,
  sshKeysAspect,
  trustAspect,
  proxyAspect,
  swapAspect,
  metadataFirewallAspect,
  containerdAspect,
  registriesAspect,
  joinAspect,
  labelsTaintsAspect,
  kubeletAspect,
  unitsAspect,
  filesAspect,
];

export function desiredState(config: NodeConfig, facts: Facts): DesiredState {
  const parts = ASPECTS.map((aspect) => aspect(config, facts));
  const problems: Problem[] = parts.flatMap((part) => part.problems ?? []);
  return {
    files: filesByPath([...kubeletFiles(parts), ...parts.flatMap((part) => part.files ?? [])], problems),
    live: liveById(parts),
    kubeletRoot: config.storage.kubeletRoot ?? DEFAULT_KUBELET_ROOT,
    problems,
  };
}

function filesByPath(all: readonly OwnedFile[], problems: Problem[]): Map<string, OwnedFile> {
  const byPath = new Map<string, OwnedFile>();
  for (const file of all) {
    const conflicting = byPath.get(file.path) ?? parentAmong(byPath, file.path);
    if (conflicting === undefined) byPath.set(file.path, file);
    else problems.push(invalidField(fieldOf(file), `conflicts with a file of the ${conflicting.aspect} aspect`));
  }
  return new Map([...byPath].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A file cannot also be the folder of another file; either of the two may come first. */
function parentAmong(byPath: ReadonlyMap<string, OwnedFile>, path: string): OwnedFile | undefined {
  for (const [other, file] of byPath) {
    if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)) return file;
  }
  return undefined;
}

/** The user's field: files that headstart writes by itself do not conflict with each other. */
function fieldOf({ aspect, path }: OwnedFile): string[] {
  return aspect === 'units' ? ['units', path] : ['files', path];
}

function liveById(parts: readonly AspectResult[]): Map<LiveId, LiveValue> {
  const all = parts.flatMap((part) => part.live ?? []);
  return new Map(all.map((live) => [liveId(live), live] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function liveId({ kind, key }: Pick<LiveValue, 'kind' | 'key'>): LiveId {
  return `${kind} ${key}`;
}
