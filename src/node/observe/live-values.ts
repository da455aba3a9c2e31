// node/observe/live-values.ts: what is the value of each thing that is not a file: kernel settings, modules, names, swap, rules?
import { CA_PATH, KUBECONFIG_PATH, kubeconfigServer } from '../desired/aspects/join.ts';
import { firewallSeen } from '../desired/aspects/metadata-firewall.ts';
import { sameSpaces, sysctlPath } from '../desired/aspects/sysctl.ts';
import { textOf } from '../desired/bytes.ts';
import type { Desired, LiveId, LiveKind } from '../desired/tree.ts';
import type { Look } from './look.ts';
import type { SeenUnit } from './units.ts';

export interface SeenNode {
  labels: ReadonlyMap<string, string>;
  /** By `key:effect`. */
  taints: ReadonlyMap<string, string>;
}

export interface LiveSources {
  look: Look;
  desired: Desired;
  units: ReadonlyMap<string, SeenUnit>;
  node: SeenNode | undefined;
}

/** Those of `ids` that have a value. */
export async function seenValues(ids: Iterable<LiveId>, sources: LiveSources): Promise<Map<LiveId, string>> {
  const seen = new Map<LiveId, string>();
  for (const id of ids) {
    const space = id.indexOf(' ');
    const value = await lookUp(id.slice(0, space) as LiveKind, id.slice(space + 1), sources);
    if (value !== undefined) seen.set(id, value);
  }
  return seen;
}

async function lookUp(kind: LiveKind, key: string, sources: LiveSources): Promise<string | undefined> {
  const { look, units, node } = sources;
  const unit = units.get(key);
  switch (kind) {
    case 'sysctl':
      return optional(look.text(sysctlPath(key)), sameSpaces);
    case 'module':
      return isLoaded(key, look) ? 'loaded' : undefined;
    case 'host-name':
      return look.text('/proc/sys/kernel/hostname')?.trim();
    case 'mtu':
      return optional(firstInterface(look), (name) => look.text(`/sys/class/net/${name}/mtu`)?.trim());
    case 'swap':
      return swapSize(key, look);
    case 'firewall':
      return firewallOf(key, look);
    case 'kubeconfig':
      return serverOf(sources);
    case 'label':
      return node?.labels.get(key);
    case 'taint':
      return node?.taints.get(key);
    case 'unit-enabled':
      return unit?.enabled;
    case 'unit-active':
      return unit && (unit.isDone ? 'done' : unit.isActive ? 'yes' : 'no');
  }
}

function optional<T, U>(value: T | undefined, convert: (value: T) => U): U | undefined {
  return value === undefined ? undefined : convert(value);
}

/** One that is built into the kernel cannot be loaded, and need not be. */
function isLoaded(module: string, look: Look): boolean {
  const name = module.replaceAll('-', '_');
  if (
    look
      .text('/proc/modules')
      ?.split('\n')
      .some((line) => line.startsWith(`${name} `))
  )
    return true;
  const release = look.text('/proc/sys/kernel/osrelease')?.trim();
  const builtIn = release === undefined ? undefined : look.text(`/usr/lib/modules/${release}/modules.builtin`);
  return builtIn?.split('\n').some((line) => /([^/]+)\.ko/.exec(line)?.[1]?.replaceAll('-', '_') === name) ?? false;
}

/** That of the default route, the one with the lowest metric. */
export function firstInterface(look: Look): string | undefined {
  const routes = (look.text('/proc/net/route') ?? '').split('\n').map((line) => line.split('\t'));
  const ways = routes.filter((fields) => fields[1] === '00000000');
  return ways.sort((a, b) => Number(a[6]) - Number(b[6]))[0]?.[0];
}

/** /proc/swaps counts without the first page, so the size is that of the file. */
function swapSize(file: string, look: Look): string | undefined {
  return isSwapOn(file, look) ? `${look.size(file) ?? 0}` : undefined;
}

/**
 * The daemon has mounts of its own over the folders it writes to. What it switched on there is shown, once that daemon is gone, with the
 * path below such a mount: /swapfile for /var/lib/swapfile. That is ours where there is a file of ours and none at the path shown.
 */
export function isSwapOn(file: string, look: Look): boolean {
  const isOurs = (shown: string) =>
    shown.startsWith('/') && file.endsWith(shown) && look.size(file) !== undefined && look.size(shown) === undefined;
  const paths = (look.text('/proc/swaps') ?? '').split('\n').map((line) => line.split(/\s+/)[0] ?? '');
  return paths.some((shown) => shown === file || isOurs(shown));
}

async function firewallOf(table: string, look: Look): Promise<string | undefined> {
  const ran = await look.run(['nft', 'list', 'table', 'inet', table]);
  return ran.outcome === 'exited' && ran.code === 0 ? firewallSeen(ran.stdout.toString('utf8')) : undefined;
}

function serverOf({ look, desired }: LiveSources): string | undefined {
  const kubeconfig = look.text(KUBECONFIG_PATH);
  const authority = desired.files.get(CA_PATH);
  return kubeconfig && kubeconfigServer(kubeconfig, authority && textOf(authority));
}
