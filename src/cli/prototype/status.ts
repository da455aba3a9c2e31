// cli/prototype/status.ts: `headstart prototype status`: what the gallery holds, what each pool starts from, which instances are stale.

import { type PoolStatus, poolStatus } from '../../prototype/after/status.ts';
import { definitionName } from '../../prototype/names.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { Edges } from '../verb.ts';
import {
  type Connected,
  type ConnectOptions,
  connectWorld,
  listPools,
  poolMembers,
  withConnectOptions,
} from './connect.ts';
import { hintingAtSameWorld, prototypeCommand } from './same-world.ts';

interface Options extends ConnectOptions {
  pool?: string;
}

export const verb = hintingAtSameWorld({
  examples: ['prototype status', 'prototype status --pool k8s-pool1-12345678-vmss --json'],
  configure: (command) =>
    withConnectOptions(command).option(
      '--pool <NAME>',
      'show only this pool; default: all that have nodes in the cluster',
    ),
  async run(_args, options: Options, edges) {
    const world = await connectWorld(options, edges);
    const pools = options.pool
      ? [(await poolMembers(world, options.pool, edges.signal())).pool]
      : await listPools(world, edges.signal());
    const statuses = await Promise.all(pools.map((pool) => readStatus(world, pool, edges.signal())));
    if (options.json) return printJson(edges, 'PrototypeStatus', { gallery: world.gallery, pools: statuses });
    if (statuses.length === 0)
      edges.stdout(world.hasCluster ? 'no node of this cluster belongs to a pool\n' : 'there is no pool\n');
    for (const status of statuses) show(status, options, edges);
  },
});

async function readStatus({ factory, gallery }: Connected, ref: PoolRef, signal: AbortSignal): Promise<PoolStatus> {
  const [pool, instances, definition] = await Promise.all([
    factory.pools.readPool(ref, { signal }),
    factory.pools.listInstances(ref, { signal }),
    factory.gallery.readDefinition(gallery, definitionName(ref.name), { signal }),
  ]);
  return poolStatus(pool!, instances, definition ? await factory.gallery.listVersions(definition, { signal }) : []);
}

function show(status: PoolStatus, options: Options, edges: Edges): void {
  const without = status.hasBootstrap === false ? ', without bootstrap' : '';
  const screen = screenOf(edges);
  edges.stdout(`${wrapLines(`${status.pool} starts from ${status.model}${without}`, screen.columns)}\n\n`);
  const versions = renderTable(
    [
      { title: 'VERSION', cell: (v) => v.name },
      {
        title: 'STATE',
        cell: (v) => (v.state === 'ready' ? 'ready' : `${v.state} ${v.percent}%`),
        style: (v) => (v.state === 'failed' ? 'bad' : undefined),
      },
      { title: 'DONOR', cell: (v) => v.donor ?? '' },
      { title: 'INSTANCES', align: 'right', cell: (v) => String(v.instances) },
      {
        title: '',
        cell: (v) => [v.isModel ? 'new instances' : '', v.isExcluded ? 'not latest' : ''].filter(Boolean).join(', '),
        style: (v) => (v.isModel ? 'good' : undefined),
        narrow: 'wrap',
      },
    ],
    status.versions,
    screen,
  );
  const instances = renderTable(
    [
      { title: 'INSTANCE', cell: (i) => i.name },
      { title: 'MADE FROM', cell: (i) => i.image },
      { title: 'POWER', cell: (i) => i.power },
      {
        title: '',
        cell: (i) => [i.isStale ? 'stale' : '', i.isDonor ? 'out of service: a donor' : ''].filter(Boolean).join(', '),
        style: () => 'warning',
        narrow: 'wrap',
      },
    ],
    status.instances,
    screen,
  );
  edges.stdout(`${status.versions.length > 0 ? `${versions}\n` : ''}${instances}\n`);
  for (const { name } of status.instances.filter(({ isDonor }) => isDonor)) {
    const [goOn, bringBack] = ['run', 'recover'].map((verb) => prototypeCommand(verb, { '--node': name }, options));
    edges.stderr(`next:  if no run has ${name} any more, ${goOn} goes on with it, ${bringBack} only brings it back\n`);
  }
}
