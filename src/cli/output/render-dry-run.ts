// cli/output/render-dry-run.ts: renders the changes that a verb would make.
import { printable } from './table.ts';

export function renderDryRun(changes: readonly string[]): string {
  return changes.length === 0 ? 'nothing to do\n' : changes.map((change) => `would ${printable(change)}\n`).join('');
}
