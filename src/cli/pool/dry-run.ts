// cli/pool/dry-run.ts: what a verb would do, told instead of done.
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
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
  if (changes.length === 0) edges.stdout('nothing to do\n');
  for (const change of changes) edges.stdout(`would ${printable(change)}\n`);
}
