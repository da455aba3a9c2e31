// cli/pool/dry-run.ts: prints what a verb would do to a pool.
import { printJson } from '../output/json.ts';
import { renderDryRun } from '../output/render-dry-run.ts';
import type { CliDeps } from '../verb.ts';

export function printPoolPlan(
  deps: CliDeps,
  pool: string,
  changes: readonly string[],
  { json }: { json?: boolean | undefined },
): void {
  if (json) {
    printJson(deps, 'PoolPlan', { pool, changes });
    return;
  }
  deps.stdout(renderDryRun(changes));
}
