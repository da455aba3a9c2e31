// node/observe/observe.ts: what does this node look like, for everything that is desired or owned? Reads files, systemd and the firewall; changes
// nothing.

import { isObject, type JsonObject } from '../../schema/json.ts';
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import { KUBECONFIG_PATH } from '../desired/aspects/join.ts';
import { isSecret } from '../desired/bytes.ts';
import { BASE_PATH, DROP_IN_FOLDER } from '../desired/kubelet-config.ts';
import { STATE_FILES } from '../desired/kubelet-fields.ts';
import type { DesiredState, KubeletPhase, ObservedPath, ObservedState, Ownership } from '../desired/tree.ts';
import { parseText } from '../document/parse-text.ts';
import { foldersAbove } from '../plan/folders.ts';
import { hasCredential } from './credential.ts';
import type { HostReader } from './host-reader.ts';
import { type NodeLabelsAndTaints, readLiveValues } from './live-values.ts';
import { type ObservedUnit, readUnits } from './units.ts';

export interface ObserveContext {
  nowMs: number;
  /** The Node object, once it has been read. */
  node?: NodeLabelsAndTaints | undefined;
}

export async function observeNode(
  host: HostReader,
  desired: DesiredState,
  ownership: Ownership,
  { nowMs, node }: ObserveContext,
): Promise<ObservedState> {
  const units = await readUnits(unitsOf(desired, ownership), host);
  const files = readFiles(host, desired, ownership);
  const folders = [...new Set([...[...files.keys()].flatMap(foldersAbove), ...ownership.folders])];
  const kubeconfig = host.text(KUBECONFIG_PATH);
  const state = STATE_FILES.map((name) => `${desired.kubeletRoot}/${name}`);
  const seenState = state.filter((path) => host.text(path) !== undefined);
  const hasRun = kubeconfig !== undefined || seenState.length > 0;
  const ids = new Set([...desired.live.keys(), ...ownership.live.keys()]);
  return {
    files,
    folders: new Set(folders.filter((path) => host.isFolder(path))),
    live: await readLiveValues(ids, { host, desired, units, node }),
    units,
    ...readOwners(host, desired),
    kubeletPhase: kubeletPhaseOf(units.get(KUBELET), hasRun),
    hasCredential: hasCredential({ kubeconfig, readText: (path) => host.text(path), nowMs }),
    isNodeKnown: node !== undefined,
    kubelet: {
      base: await readConfig(host, BASE_PATH),
      dropIns: new Map(
        await Promise.all(dropInPaths(host).map(async (path) => [path, await readConfig(host, path)] as const)),
      ),
      state: new Set(seenState),
    },
  };
}

function kubeletPhaseOf(kubelet: ObservedUnit | undefined, hasRun: boolean): KubeletPhase {
  if (kubelet?.wasStarted || kubelet?.isActive) return 'running';
  return hasRun ? 'not-started' : 'never-ran';
}

function readFiles(host: HostReader, desired: DesiredState, ownership: Ownership): Map<string, ObservedPath> {
  const swaps = [...desired.live.keys(), ...ownership.live.keys()].flatMap((id) =>
    id.startsWith('swap ') ? [id.slice('swap '.length)] : [],
  );
  const paths = new Set([...desired.files.keys(), ...ownership.files.keys(), ...swaps]);
  return new Map(
    [...paths].sort().map((path) => {
      const file = desired.files.get(path);
      // Hide it if the old or the new file is secret.
      const mustHide = (file !== undefined && isSecret(file)) || ownership.files.get(path)?.isSecret === true;
      return [path, host.at(path, mustHide)];
    }),
  );
}

function unitsOf(desired: DesiredState, ownership: Ownership): string[] {
  const files = [...desired.files.values(), ...ownership.files.values()];
  const ofFiles = files.flatMap(({ after }) => after.flatMap((effect) => ('unit' in effect ? [effect.unit] : [])));
  const ofValues = [...desired.live.keys(), ...ownership.live.keys()].flatMap((id) => {
    const [kind, key] = id.split(' ');
    return kind?.startsWith('unit-') && key ? [key] : [];
  });
  return [...new Set([KUBELET, CONTAINERD, ...[...ofFiles, ...ofValues].sort()])];
}

/** Reads /etc/passwd and /etc/group only if a file has an owner other than root. */
function readOwners(host: HostReader, desired: DesiredState): Pick<ObservedState, 'users' | 'groups'> {
  const files = [...desired.files.values()];
  const isPlain = files.every(({ owner, group }) => owner === 'root' && group === 'root');
  const idsIn = (path: string) =>
    (host.text(path) ?? '').split('\n').flatMap((line): [string, number][] => {
      const [name, , number] = line.split(':');
      return name && /^\d+$/.test(number ?? '') ? [[name, Number(number)]] : [];
    });
  return {
    users: new Map([...(isPlain ? [] : idsIn('/etc/passwd')), ['root', 0]]),
    groups: new Map([...(isPlain ? [] : idsIn('/etc/group')), ['root', 0]]),
  };
}

function dropInPaths(host: HostReader, folder = DROP_IN_FOLDER): string[] {
  return host.names(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (host.isFolder(path)) return dropInPaths(host, path);
    return name.endsWith('.conf') ? [path] : [];
  });
}

/** An unreadable file counts as empty: kubelet will report what is wrong with it. */
async function readConfig(host: HostReader, path: string): Promise<JsonObject> {
  const parsed = await parseText(host.text(path) ?? '');
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : {};
}
