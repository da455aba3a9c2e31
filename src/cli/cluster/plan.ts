// cli/cluster/plan.ts: what a verb would do to a local cluster, told instead of done.
import { printJson } from '../output/json.ts';
import { renderPlan } from '../output/render-plan.ts';
import type { CliDeps } from '../verb.ts';

export function tellPlan(
  deps: CliDeps,
  cluster: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(deps, 'ClusterPlan', { cluster, changes });
    return;
  }
  deps.stdout(renderPlan(changes));
}
