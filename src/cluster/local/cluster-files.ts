// cluster/local/cluster-files.ts: the files and the record of a local cluster. No other module builds a path in its folder.
import { lstatSync, mkdirSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { isFull, isMissing, readJsonFile } from '../../host/json-file.ts';
import { lockName } from '../../host/lock-name.ts';
import type { Ports } from './port-names.ts';
import type { KubeServer, Server } from './server-flags.ts';

export interface ClusterPlace {
  home: string;
  name: string;
}

/** Written before the first server starts. */
export interface ClusterRecord {
  format: 1;
  /** `v1.35.8` */
  kubernetes: string;
  /** The folder that the programs are run from. */
  programs: string;
  /** On 127.0.0.1. They do not change, because pools and kubeconfigs contain the API server's port. */
  ports: Ports;
  /** The API server's address in the guests of a pool; its certificate includes it. */
  guestAddress: string;
  createdMs: number;
}

/** In the guests' network, below the instances and outside the addresses of documented services. */
export const GUEST_ADDRESS = '168.0.0.10';
export const GUEST_PORT = 6443;
/** Relative to the cluster's folder, where its users run, because a socket path has to be short. */
export const EGRESS_SOCKET = 'egress.sock';

export interface ClusterFiles {
  folder: string;
  record: string;
  pki: string;
  etcdData: string;
  /** For people and other programs, as administrator. */
  kubeconfig: string;
  componentKubeconfig(server: KubeServer): string;
  /** Egress configuration: how the API server reaches nodes. */
  egress: string;
  log(server: Server): string;
  /** The log of the previous start, which may show why the server was restarted. */
  previousLog(server: Server): string;
}

/** In the home folder, next to the locks of its pools. */
export const clusterLock = (name: string) => lockName(`cluster-${checkClusterName(name)}`);

export const clustersFolder = (home: string) => join(home, 'clusters');

export function clusterFiles({ home, name }: ClusterPlace): ClusterFiles {
  const folder = join(clustersFolder(home), checkClusterName(name));
  return {
    folder,
    record: join(folder, 'cluster.json'),
    pki: join(folder, 'pki'),
    etcdData: join(folder, 'etcd'),
    kubeconfig: join(folder, 'kubeconfig'),
    componentKubeconfig: (server) => join(folder, `${server}.kubeconfig`),
    egress: join(folder, 'egress.json'),
    log: (server) => join(folder, `${server}.log`),
    previousLog: (server) => join(folder, `${server}.previous.log`),
  };
}

/** The name becomes a folder and part of names in the cluster. */
export function checkClusterName(name: string): string {
  if (isClusterName(name)) return name;
  throw new UserError(`${JSON.stringify(name)} is not a valid cluster name`, {
    code: 'cluster/bad-name',
    next: 'use lower-case letters, digits and dashes, at most 50, no dash at either end',
  });
}

const isClusterName = (name: string) => /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(name);

const port = z.number().int().min(1).max(65_535);
const recordSchema: z.ZodType<ClusterRecord> = z.object({
  format: z.literal(1),
  kubernetes: z.string(),
  programs: z.string(),
  ports: z.object({
    etcd: port,
    'etcd-peer': port,
    'kube-apiserver': port,
    'kube-controller-manager': port,
    'kube-scheduler': port,
  }),
  guestAddress: z.string(),
  createdMs: z.number(),
});

/** undefined: there is no such cluster, or only the folder of one that was never completed. */
export function readClusterRecord(place: ClusterPlace): ClusterRecord | undefined {
  return readJsonFile(clusterFiles(place).record, recordSchema, {
    code: 'cluster/bad-record',
    next: 'restore the file, or delete the cluster that it belongs to',
  });
}

export function writeClusterRecord(place: ClusterPlace, record: ClusterRecord): void {
  writePrivate(clusterFiles(place).record, `${JSON.stringify(record, null, 2)}\n`);
}

export function listClusters(home: string): string[] {
  try {
    return readdirSync(clustersFolder(home), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The ports of all other clusters of this home, running or not. Clusters with an unreadable record are ignored. */
export function portsOfOthers({ home, name }: ClusterPlace): ReadonlyMap<number, string> {
  const others = listClusters(home).filter((other) => other !== name && isClusterName(other));
  return new Map(others.flatMap((other) => Object.values(portsOf({ home, name: other })).map((port) => [port, other])));
}

function portsOf(place: ClusterPlace): Partial<Ports> {
  try {
    return readClusterRecord(place)?.ports ?? {};
  } catch {
    return {};
  }
}

/** The folder contains keys: only this user may enter or replace it. */
export function ensureFolder({ home, name }: ClusterPlace): void {
  const { folder } = clusterFiles({ home, name });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkOwn(clustersFolder(home), lstatSync(clustersFolder(home)), 0o022);
  checkOwn(folder, lstatSync(folder), 0o077);
}

/** `forbidden`: mode bits that must not be set. */
export function checkOwn(path: string, found: Pick<Stats, 'isDirectory' | 'mode' | 'uid'>, forbidden: number): void {
  if (found.isDirectory() && (found.mode & forbidden) === 0 && found.uid === process.getuid?.()) return;
  throw new UserError(`${path} is not a folder of this user that others cannot access`, {
    code: 'cluster/unsafe-folder',
    kept: 'Nothing was changed.',
    next: 'remove it, or give it to your user with chown and close it to others with chmod 700',
  });
}

export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function writePrivate(path: string, text: string): void {
  try {
    writeFileAtomic(path, text, 0o600);
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    throw noSpace(path, cause);
  }
}

export function noSpace(path: string, cause: unknown): UserError {
  return new UserError(`${path} could not be written: the disk is full`, {
    code: 'cluster/no-space',
    kept: 'Existing files are unchanged.',
    next: 'free some space, then run the same command again',
    exitCode: 1,
    cause,
  });
}
