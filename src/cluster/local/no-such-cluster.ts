// cluster/local/no-such-cluster.ts: the error for an unknown cluster. A separate file, so that pool verbs load nothing else for it.
import { UserError } from '../../base/errors.ts';
import { type ClusterPlace, listClusters } from './cluster-files.ts';
import type { Orphan } from './server-processes.ts';

export function noSuchCluster({ home, name }: ClusterPlace, orphans: readonly Orphan[] = []): UserError {
  const others = listClusters(home).filter((other) => other !== name);
  const known = others.length > 0 ? `; known: ${others.join(', ')}` : '';
  const left = orphans.map((orphan) => `\n${describeOrphan(orphan)}`).join('');
  return new UserError(`there is no cluster ${name}${known}${left}`, {
    code: 'cluster/none',
    kept: 'Nothing was changed.',
    next: left
      ? `kill ${orphans.map(({ pid }) => pid).join(' ')}`
      : `headstart cluster up --name ${name}${others.length > 0 ? ', or name another with --name' : ''}`,
    exitCode: 1,
  });
}

export const describeOrphan = ({ server, pid, folder }: Orphan) =>
  `${server} (process ${pid}) still runs; its folder ${folder} is gone`;
