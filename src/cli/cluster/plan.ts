// cli/cluster/plan.ts: what a verb would do to a local cluster, told instead of done.
import { printJson } from '../output/json.ts';
import { renderPlan } from '../output/render-plan.ts';
import type { Edges } from '../verb.ts';

export function tellPlan(
  edges: Edges,
  cluster: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(edges, 'ClusterPlan', { cluster, changes });
    return;
  }
  edges.stdout(renderPlan(changes));
}
