// cli/cluster/down.ts: `headstart cluster down`: stops the programs of a local cluster. Its data stays unless --delete is given.
import { existsSync } from 'node:fs';
import { type ClusterPlace, clusterFiles, listClusters } from '../../cluster/local/cluster-files.ts';
import { deletePlane, downPlane } from '../../cluster/local/control-plane.ts';
import { noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import { findOrphans } from '../../cluster/local/read-plane.ts';
import { SERVERS } from '../../cluster/local/server-flags.ts';
import type { Orphan } from '../../cluster/local/server-processes.ts';
import { refuseWithPools } from '../../local/cluster-pools.ts';
import {
  type ClusterOptions,
  clusterPlace,
  type OpenPlane,
  openPlane,
  withClusterOptions,
} from '../compose/open-plane.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { printable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { printClusterPlan } from './plan.ts';

interface Options extends ClusterOptions {
  delete?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = clusterDown(openPlane);

/** The cluster does not exist, so there is nothing to do. Throws if its programs still run: without the folder, `down` cannot stop them. */
function nothingThere(place: ClusterPlace, orphans: readonly Orphan[], options: Options, deps: CliDeps): void {
  const { folder } = clusterFiles(place);
  const ours = orphans.filter((orphan) => orphan.folder === folder);
  if (ours.length > 0) throw noSuchCluster(place, ours);
  const [cluster, isDeleted] = [place.name, options.delete === true];
  if (options.dryRun) printClusterPlan(deps, cluster, [], options);
  else if (options.json) printJsonLine(deps, 'ClusterDown', { cluster, stopped: [], isDeleted });
  else {
    const others = listClusters(place.home).filter((other) => other !== cluster);
    const known = others.length > 0 ? `; existing clusters: ${others.join(', ')}` : '';
    const what = `nothing to ${isDeleted ? 'delete' : 'stop'}`;
    deps.stdout(`${what}: there is no cluster ${cluster} in ${printable(place.home)}${known}\n`);
  }
}

export function clusterDown(open: OpenPlane): Verb {
  return {
    examples: ['cluster down', 'cluster down --name lab --delete --yes'],
    configure: (command) =>
      withClusterOptions(command)
        .option('--delete', 'also delete the data, certificates and logs of the cluster')
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be done, and do nothing'),
    async run(_args, options: Options, deps) {
      const place = clusterPlace(options, deps.env);
      const { folder } = clusterFiles(place);
      const { plane } = open(deps);
      if (!existsSync(folder)) return nothingThere(place, findOrphans(place, plane), options, deps);
      if (options.delete) refuseWithPools(place);
      const running = SERVERS.toReversed().filter((server) => plane.processes.find(folder, server));
      const changes = [
        ...running.map((server) => `stop ${server}`),
        ...(options.delete ? [`delete ${folder} with everything in the cluster`] : []),
      ];
      if (options.dryRun) return printClusterPlan(deps, place.name, changes, options);
      // Before signals are handled: Ctrl-C must end the question at once.
      if (options.delete) confirm(`delete cluster ${place.name} with everything in it?`, options, deps);

      const signal = deps.signal();
      const progress = showProgress(deps, 'ClusterEvent', options);
      progress.step(`${options.delete ? 'deleting' : 'stopping'} cluster ${place.name}`);
      const next = `headstart cluster down --name ${place.name}${options.delete ? ' --delete --yes' : ''}`;
      const kept = 'Some of its programs may still be running.';
      const stopped = await orInterrupted(signal, { kept, next, code: 'cluster/interrupted' }, () =>
        (options.delete ? deletePlane : downPlane)(place, plane, { signal, onWaiting: progress.waiting }),
      );
      progress.end();
      const isDeleted = options.delete === true;
      if (options.json) return printJsonLine(deps, 'ClusterDown', { cluster: place.name, stopped, isDeleted });
      deps.stdout(
        isDeleted
          ? `cluster ${place.name} is deleted\n`
          : `cluster ${place.name} is stopped; its data is in ${folder}\n`,
      );
    },
  };
}
