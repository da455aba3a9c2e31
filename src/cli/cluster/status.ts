// cli/cluster/status.ts: `headstart cluster status`: which components of a local cluster run, are they healthy, and which nodes are Ready?

import {
  type ClusterOptions,
  clusterPlace,
  type OpenPlane,
  openPlane,
  withClusterOptions,
} from '../compose/open-plane.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { readClusterView, renderCluster } from './view.ts';

export const verb = clusterStatus(openPlane);

const NOT_HEALTHY = 3;

export function clusterStatus(open: OpenPlane): Verb {
  return {
    examples: ['cluster status', 'cluster status --name lab --json'],
    configure: withClusterOptions,
    async run(_args, options: ClusterOptions, deps) {
      const place = clusterPlace(options, deps.env);
      const view = await readClusterView(place, open(deps), deps.signal());
      if (options.json) printJson(deps, 'Cluster', view);
      else deps.stdout(renderCluster(view, deps.nowUs() / 1000, screenOf(deps)));
      if (view.isHealthy) return 0;
      deps.stderr(`next:  headstart cluster up --name ${place.name}\n`);
      return NOT_HEALTHY;
    },
  };
}
