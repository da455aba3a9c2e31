// node/desired/desired.ts: what should this node look like? Everything headstart owns on it: files with their content, live values, and what
// each change to them means. Pure: the same document on the same machine gives the same answer.

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

/** The user's own files and units come last: where one is in the way of another aspect's, it is the one that is named. */
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
  const parts = ASPECTS.map((toPart) => toPart(config, facts));
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
    const inTheWay = byPath.get(file.path) ?? parentAmong(byPath, file.path);
    if (inTheWay === undefined) byPath.set(file.path, file);
    else problems.push(invalidField(placeOf(file), `is in the way of what is written for ${inTheWay.aspect}`));
  }
  return new Map([...byPath].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A file cannot be the folder of another one; whichever of the two came first. */
function parentAmong(byPath: ReadonlyMap<string, OwnedFile>, path: string): OwnedFile | undefined {
  for (const [other, file] of byPath) {
    if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)) return file;
  }
  return undefined;
}

/** Where the user may have put it: what headstart writes by itself does not collide. */
function placeOf({ aspect, path }: OwnedFile): string[] {
  return aspect === 'units' ? ['units', path] : ['files', path];
}

function liveById(parts: readonly AspectResult[]): Map<LiveId, LiveValue> {
  const all = parts.flatMap((part) => part.live ?? []);
  return new Map(all.map((live) => [liveId(live), live] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function liveId({ kind, key }: Pick<LiveValue, 'kind' | 'key'>): LiveId {
  return `${kind} ${key}`;
}
