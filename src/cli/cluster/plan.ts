// cli/cluster/plan.ts: prints what a verb would do to a local cluster.
import { printJson } from '../output/json.ts';
import { renderDryRun } from '../output/render-dry-run.ts';
import type { CliDeps } from '../verb.ts';

export function printClusterPlan(
  deps: CliDeps,
  cluster: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(deps, 'ClusterPlan', { cluster, changes });
    return;
  }
  deps.stdout(renderDryRun(changes));
}
