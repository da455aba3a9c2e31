// cli/compose/open-plane.ts: the deps and the shared options of the verbs for local clusters.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { cacheFolder } from '../../base/cache-folder.ts';
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { ownProgram } from '../../base/own-files/own-files.ts';
import type { Node } from '../../cluster/cluster.ts';
import { type ClusterPlace, checkClusterName } from '../../cluster/local/cluster-files.ts';
import { checkServerHealth } from '../../cluster/local/health.ts';
import { createBootstrapToken, type NewToken } from '../../cluster/local/joining.ts';
import { bindingsToMake, letNodesJoin } from '../../cluster/local/node-roles.ts';
import type { PlaneDeps } from '../../cluster/local/plane-deps.ts';
import { isPortFree } from '../../cluster/local/ports.ts';
import type { ProgramDeps } from '../../cluster/local/programs/programs.ts';
import { serverProcesses } from '../../cluster/local/server-processes.ts';
import { statfsFree } from '../../host/disk-space.ts';
import { type HomeOptions, homeFolder, withHomeOption } from '../pool/home.ts';
import type { CliDeps } from '../verb.ts';

export interface ClusterOptions extends HomeOptions {
  name: string;
  json?: boolean;
}

export interface OpenedPlane {
  plane: PlaneDeps;
  programs: ProgramDeps;
  listNodes(kubeconfig: string, signal: AbortSignal): Promise<Node[]>;
  createToken(kubeconfig: string, ttlMs: number): Promise<NewToken>;
}

/** A parameter of verbs, so that tests can pass a fake. */
export type OpenPlane = (deps: CliDeps) => OpenedPlane;

export function withClusterOptions(command: Command): Command {
  return withHomeOption(command)
    .option('--name <NAME>', 'the name of the cluster: lower-case letters, digits and dashes', 'local')
    .option('--json', 'print JSON instead of text');
}

export const openPlane: OpenPlane = ({ env }) => ({
  plane: {
    clock: systemClock,
    processes: serverProcesses,
    isPortFree,
    freeBytes: statfsFree,
    random: Math.random,
    checkServerHealth,
    bindingsToMake,
    letNodesJoin,
    // Not an import: only that program loads its modules.
    egressCommand: ({ home, name }) => [...ownProgram(new URL('../cluster/egress.ts', import.meta.url)), home, name],
  },
  programs: { cache: cacheFolder(env), env, run: runCommand, freeBytes: statfsFree },
  listNodes: async (kubeconfig, signal) => {
    const { kubernetesCluster } = await import('../../cluster/kubernetes/cluster.ts');
    return (await kubernetesCluster({ kubeconfig, clock: systemClock })).listNodes(signal);
  },
  createToken: (kubeconfig, ttlMs) => createBootstrapToken({ kubeconfig, clock: systemClock }, ttlMs),
});

export function clusterPlace(options: ClusterOptions, env: CliDeps['env']): ClusterPlace {
  return { home: realFolder(homeFolder(options, env)), name: checkClusterName(options.name) };
}

/** Resolves symbolic links, so that programs always get the same path for the same folder. */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realFolder(dirname(path)), basename(path)); // does not exist yet
  }
}
