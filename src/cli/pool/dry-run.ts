// cli/pool/dry-run.ts: what a verb would do, told instead of done.
import { printJson } from '../output/json.ts';
import { renderPlan } from '../output/render-plan.ts';
import type { Edges } from '../verb.ts';

export function tellChanges(
  edges: Edges,
  pool: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(edges, 'PoolPlan', { pool, changes });
    return;
  }
  edges.stdout(renderPlan(changes));
}
