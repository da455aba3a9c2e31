// node/observe/live-values.ts: which values does the running system have: kernel settings, modules, host name, swap, firewall, units?
import { CA_PATH, KUBECONFIG_PATH, kubeconfigServer } from '../desired/aspects/join.ts';
import { firewallFingerprint } from '../desired/aspects/metadata-firewall.ts';
import { normalizeSpaces, sysctlPath } from '../desired/aspects/sysctl.ts';
import { contentText } from '../desired/bytes.ts';
import type { DesiredState, LiveId, LiveKind } from '../desired/tree.ts';
import type { HostReader } from './host-reader.ts';
import type { ObservedUnit } from './units.ts';

export interface NodeLabelsAndTaints {
  labels: ReadonlyMap<string, string>;
  /** By `key:effect`. */
  taints: ReadonlyMap<string, string>;
}

export interface LiveSources {
  host: HostReader;
  desired: DesiredState;
  units: ReadonlyMap<string, ObservedUnit>;
  node: NodeLabelsAndTaints | undefined;
}

/** Without entries for ids that have no value. */
export async function readLiveValues(ids: Iterable<LiveId>, sources: LiveSources): Promise<Map<LiveId, string>> {
  const seen = new Map<LiveId, string>();
  for (const id of ids) {
    const space = id.indexOf(' ');
    const value = await readLiveValue(id.slice(0, space) as LiveKind, id.slice(space + 1), sources);
    if (value !== undefined) seen.set(id, value);
  }
  return seen;
}

async function readLiveValue(kind: LiveKind, key: string, sources: LiveSources): Promise<string | undefined> {
  const { host, units, node } = sources;
  const unit = units.get(key);
  switch (kind) {
    case 'sysctl':
      return optional(host.text(sysctlPath(key)), normalizeSpaces);
    case 'module':
      return isLoaded(key, host) ? 'loaded' : undefined;
    case 'host-name':
      return host.text('/proc/sys/kernel/hostname')?.trim();
    case 'mtu':
      return optional(firstInterface(host), (name) => host.text(`/sys/class/net/${name}/mtu`)?.trim());
    case 'swap':
      return swapSize(key, host);
    case 'firewall':
      return firewallOf(key, host);
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

/** A module that is built into the kernel counts as loaded. */
function isLoaded(module: string, host: HostReader): boolean {
  const name = module.replaceAll('-', '_');
  if (
    host
      .text('/proc/modules')
      ?.split('\n')
      .some((line) => line.startsWith(`${name} `))
  )
    return true;
  const release = host.text('/proc/sys/kernel/osrelease')?.trim();
  const builtIn = release === undefined ? undefined : host.text(`/usr/lib/modules/${release}/modules.builtin`);
  return builtIn?.split('\n').some((line) => /([^/]+)\.ko/.exec(line)?.[1]?.replaceAll('-', '_') === name) ?? false;
}

/** The interface of the default route with the lowest metric. */
export function firstInterface(host: HostReader): string | undefined {
  const routes = (host.text('/proc/net/route') ?? '').split('\n').map((line) => line.split('\t'));
  const defaultRoutes = routes.filter((fields) => fields[1] === '00000000');
  return defaultRoutes.sort((a, b) => Number(a[6]) - Number(b[6]))[0]?.[0];
}

/** The size of the file, because /proc/swaps does not count the first page. */
function swapSize(file: string, host: HostReader): string | undefined {
  return isSwapOn(file, host) ? `${host.size(file) ?? 0}` : undefined;
}

/**
 * The daemon has private mounts over the folders it writes to. After that daemon has ended, /proc/swaps shows a swap file it enabled with
 * the path inside the mount: /swapfile for /var/lib/swapfile. The entry is ours if our file exists and no file exists at the shown path.
 */
export function isSwapOn(file: string, host: HostReader): boolean {
  const isOurs = (shown: string) =>
    shown.startsWith('/') && file.endsWith(shown) && host.size(file) !== undefined && host.size(shown) === undefined;
  const paths = (host.text('/proc/swaps') ?? '').split('\n').map((line) => line.split(/\s+/)[0] ?? '');
  return paths.some((shown) => shown === file || isOurs(shown));
}

async function firewallOf(table: string, host: HostReader): Promise<string | undefined> {
  const ran = await host.run(['nft', 'list', 'table', 'inet', table]);
  return ran.outcome === 'exited' && ran.code === 0 ? firewallFingerprint(ran.stdout.toString('utf8')) : undefined;
}

function serverOf({ host, desired }: LiveSources): string | undefined {
  const kubeconfig = host.text(KUBECONFIG_PATH);
  const authority = desired.files.get(CA_PATH);
  return kubeconfig && kubeconfigServer(kubeconfig, authority && contentText(authority));
}
