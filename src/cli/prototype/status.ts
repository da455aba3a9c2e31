// cli/prototype/status.ts: `headstart prototype status`: shows the versions in the gallery, what each pool starts from, and which instances are stale.
import { shellWord } from '../../base/shell-word.ts';
import { readPoolStatus } from '../../prototype/after/read-versions.ts';
import type { PoolStatus } from '../../prototype/after/status.ts';
import { findSitePool, listSitePools } from '../../prototype/donor/find-pool.ts';
import type { LastRun } from '../../prototype/last-run.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { wrapLines } from '../output/display-width.ts';
import { hintWithOptions } from '../output/hint-options.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';

interface Options extends ConnectOptions {
  pool?: string;
}

export const verb = statusVerb(connectSite);

export function statusVerb(connect: ConnectSite): Verb {
  return {
    examples: ['prototype status', 'prototype status --pool k8s-pool1-12345678-vmss --json'],
    configure: (command) =>
      withConnectOptions(command).option(
        '--pool <NAME>',
        'show only this pool; default: all pools with nodes in the cluster',
      ),
    async run(_args, options: Options, deps) {
      const site = await connect(options, deps);
      const pools = options.pool
        ? [await findSitePool(site, options.pool, deps.signal())]
        : await listSitePools(site, deps.signal());
      const statuses = await Promise.all(pools.map((pool) => readPoolStatus(site, pool, deps.signal())));
      if (options.json) return printJson(deps, 'PrototypeStatus', { gallery: site.gallery, pools: statuses });
      if (statuses.length === 0)
        deps.stdout(site.hasCluster ? 'no node of this cluster belongs to a pool\n' : 'no pools\n');
      for (const status of statuses) show(status, deps);
    },
  };
}

function show(status: PoolStatus, deps: CliDeps): void {
  const without = status.hasBootstrap === false ? ', without bootstrap' : '';
  const screen = screenOf(deps);
  deps.stdout(`${wrapLines(`${status.pool} starts from ${status.model}${without}`, screen.columns)}\n\n`);
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
        cell: (v) =>
          [
            v.bad === undefined ? '' : `bad: ${v.bad}`,
            v.isModel ? 'new instances' : '',
            v.isExcluded ? 'not latest' : '',
          ]
            .filter(Boolean)
            .join(', '),
        style: (v) => (v.bad === undefined ? (v.isModel ? 'good' : undefined) : 'bad'),
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
  deps.stdout(`${status.versions.length > 0 ? `${versions}\n` : ''}${instances}\n`);
  if (status.lastRun?.outcome === 'failed') showFailure(status.lastRun, deps);
  for (const { name } of status.instances.filter(({ isDonor }) => isDonor)) {
    const [resume, recover] = ['run', 'recover'].map((verb) =>
      hintWithOptions(`headstart prototype ${verb} --node ${shellWord(name)}`, deps.typed ?? []),
    );
    deps.stderr(
      `next:  if no run uses ${name} any more: ${resume} resumes the run, ${recover} only returns the node to service\n`,
    );
  }
}

function showFailure({ endedAt, node, reason, next, code }: LastRun, deps: CliDeps): void {
  const of = node === undefined ? '' : ` of ${node}`;
  deps.stdout(`${wrapLines(`the last run${of} failed at ${endedAt}: ${reason}`, screenOf(deps).columns)}\n`);
  if (code !== undefined) deps.stdout(`code:  ${code}\n`);
  if (next !== undefined) deps.stderr(`next:  ${next}\n`);
}
