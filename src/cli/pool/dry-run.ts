// cli/pool/dry-run.ts: what a verb would do, told instead of done.
import { printJson } from '../output/json.ts';
import { renderPlan } from '../output/render-plan.ts';
import type { CliDeps } from '../verb.ts';

export function tellChanges(
  deps: CliDeps,
  pool: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(deps, 'PoolPlan', { pool, changes });
    return;
  }
  deps.stdout(renderPlan(changes));
}
