// cli/prototype/candidates.ts: `headstart prototype candidates --pool P`: which node of a pool is the best donor, and why?

import { formatSpan } from '../../base/duration.ts';
import { readVersions } from '../../prototype/after/read-versions.ts';
import { badVersions, type DonorCandidate, rankCandidates } from '../../prototype/donor/candidates.ts';
import { findSitePool } from '../../prototype/donor/find-pool.ts';
import { readMembers } from '../../prototype/donor/members.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';
import { ownNodeNames } from './own-node.ts';
import { readyForOption } from './run-options.ts';

interface Options extends ConnectOptions {
  pool: string;
  /** ms */
  readyFor: number;
}

export const verb = candidatesVerb(connectSite);

export function candidatesVerb(connect: ConnectSite): Verb {
  return {
    examples: ['prototype candidates --pool k8s-pool1-12345678-vmss', 'prototype candidates --pool pool1 --json'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .addOption(readyForOption()),
    async run(_args, options: Options, deps) {
      const site = await connect(options, deps);
      const signal = deps.signal();
      const pool = await findSitePool(site, options.pool, signal);
      const [members, { versions }] = await Promise.all([
        readMembers(site, pool, signal),
        readVersions(site, pool, signal),
      ]);
      const candidates: DonorCandidate[] = rankCandidates(members, {
        nowMs: deps.nowUs() / 1000,
        provenMs: options.readyFor,
        ownNames: ownNodeNames(deps.env),
        badVersions: badVersions(versions),
      }).map(({ objections: _, ...candidate }) => candidate);
      if (options.json) return printJson(deps, 'PrototypeCandidates', { pool: options.pool, candidates });
      deps.stdout(
        renderTable(
          [
            { title: 'NODE', cell: (c) => c.node },
            { title: 'READY FOR', align: 'right', cell: (c) => formatSpan(Math.floor(c.readyForMs / 1000) * 1e6) },
            {
              title: 'WHY',
              cell: (c) => (c.against.length > 0 ? `no: ${c.against.join('; ')}` : c.inFavour.join('; ')),
              style: (c) => (c.against.length > 0 ? 'bad' : 'good'),
              narrow: 'wrap',
            },
          ],
          candidates,
          screenOf(deps),
        ),
      );
      return candidates.some((candidate) => candidate.against.length === 0) ? 0 : 3;
    },
  };
}
