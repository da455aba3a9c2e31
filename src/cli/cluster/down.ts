// cli/cluster/down.ts: `headstart cluster down`: the programs of a local cluster end; what is in it stays, unless it is to be deleted.
import { existsSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { type ClusterPlace, filesOf, listClusters } from '../../cluster/local/cluster-files.ts';
import { lookForOrphans } from '../../cluster/local/look-at-plane.ts';
import { SERVERS } from '../../cluster/local/server-flags.ts';
import { deletePlane, downPlane } from '../../cluster/local/standing-plane.ts';
import type { Orphan } from '../../cluster/local/standing-process.ts';
import { visibleIn } from '../../host/whole-folders.ts';
import { readPoolRecord } from '../../vms/qemu/home/instance-records.ts';
import { poolRef, poolsFolder } from '../../vms/qemu/home/layout.ts';
import { type ClusterOptions, type OpenPlane, openPlane, placeOf, withClusterOptions } from '../compose/open-plane.ts';
import { confirm } from '../confirm.ts';
import { printJsonLine } from '../output/json.ts';
import { printable } from '../output/table.ts';
import { orInterrupted, tellStory } from '../pool/story.ts';
import type { Edges, Verb } from '../verb.ts';
import { noSuchCluster } from './no-such-cluster.ts';
import { tellPlan } from './plan.ts';

interface Options extends ClusterOptions {
  delete?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = clusterDown(openPlane);

/** Their VMs would run on as nodes of nothing, and no cluster that is made later would know them. */
function refuseWithPools({ home, name }: ClusterPlace): void {
  const pools = visibleIn(poolsFolder(home)).filter(
    (pool) => readPoolRecord(home, poolRef(pool))?.spec.cluster === name,
  );
  if (pools.length === 0) return;
  throw new UserError(`${pools.join(', ')} ${pools.length === 1 ? 'is a pool' : 'are pools'} of cluster ${name}`, {
    code: 'cluster/has-pools',
    kept: 'Nothing was changed.',
    next: pools.map((pool) => `headstart pool delete ${pool}`).join('; '),
    exitCode: 1,
  });
}

/** What is asked for is so already. Programs whose folder was removed by hand cannot be stopped by name. */
function nothingThere(place: ClusterPlace, orphans: readonly Orphan[], options: Options, edges: Edges): void {
  const { folder } = filesOf(place);
  const ours = orphans.filter((orphan) => orphan.folder === folder);
  if (ours.length > 0) throw noSuchCluster(place, ours);
  const [cluster, isDeleted] = [place.name, options.delete === true];
  if (options.dryRun) tellPlan(edges, cluster, [], options);
  else if (options.json) printJsonLine(edges, 'ClusterDown', { cluster, stopped: [], isDeleted });
  else {
    const others = listClusters(place.home).filter((other) => other !== cluster);
    const known = others.length > 0 ? `; there is ${others.join(', ')}` : '';
    const what = `nothing to ${isDeleted ? 'delete' : 'stop'}`;
    edges.stdout(`${what}: there is no cluster ${cluster} in ${printable(place.home)}${known}\n`);
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
    async run(_args, options: Options, edges) {
      const place = placeOf(options, edges.env);
      const { folder } = filesOf(place);
      const { plane } = open(edges);
      if (!existsSync(folder)) return nothingThere(place, lookForOrphans(place, plane), options, edges);
      if (options.delete) refuseWithPools(place);
      const running = SERVERS.toReversed().filter((server) => plane.processes.find(folder, server));
      const changes = [
        ...running.map((server) => `stop ${server}`),
        ...(options.delete ? [`delete ${folder} with all that was in the cluster`] : []),
      ];
      if (options.dryRun) return tellPlan(edges, place.name, changes, options);
      // Before signals are ours: Ctrl-C has to end a question at once.
      if (options.delete) confirm(`delete cluster ${place.name} with all that is in it?`, options, edges);

      const signal = edges.signal();
      const story = tellStory(edges, options, (event) => printJsonLine(edges, 'ClusterEvent', event));
      story.step(`${options.delete ? 'deleting' : 'stopping'} cluster ${place.name}`);
      const next = `headstart cluster down --name ${place.name}${options.delete ? ' --delete --yes' : ''}`;
      const kept = 'Some of its programs may still run.';
      const stopped = await orInterrupted(signal, { kept, next, code: 'cluster/interrupted' }, () =>
        (options.delete ? deletePlane : downPlane)(place, plane, { signal, onWaiting: story.waiting }),
      );
      story.end();
      const isDeleted = options.delete === true;
      if (options.json) return printJsonLine(edges, 'ClusterDown', { cluster: place.name, stopped, isDeleted });
      edges.stdout(
        isDeleted ? `cluster ${place.name} is gone\n` : `cluster ${place.name} is stopped; its data is in ${folder}\n`,
      );
    },
  };
}
