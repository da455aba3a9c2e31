// cli/node/render-distinct.ts: how does the answer of `node distinct` look? What is shared comes first, each with its remedy.
import { ITEM_NAMES, type ItemName } from '../../identity/items.ts';
import type { Distinctness, SharedItem, UnknownItem } from '../../identity/judge-distinct.ts';
import { printable } from '../output/table.ts';

export function renderDistinct(machines: readonly string[], { shared, notes, unknown }: Distinctness): string {
  const lines = [
    headline(machines, shared, unknown),
    ...shared.flatMap(({ what, why, remedy }) => [`shared:   ${what}; ${why}`, `next:     ${remedy}`]),
    ...notes.map(({ what, why }) => `note:     ${what}; ${why}`),
    ...unknownLines(unknown),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function headline(machines: readonly string[], shared: readonly SharedItem[], unknown: readonly UnknownItem[]): string {
  const items = new Set(unknown.map(({ item }) => item)).size;
  const extent = items === 0 ? '' : `; ${items} of ${ITEM_NAMES.length} items are not known of all`;
  const who = machines.length > 3 ? `${machines.length} machines` : machines.join(', ');
  if (shared.length > 0) return `${who}: not distinct${extent}`;
  return `${who}: distinct${extent}`;
}

/** One line for machines that do not know an item for the same reason. */
function unknownLines(unknown: readonly UnknownItem[]): string[] {
  const groups = Map.groupBy(unknown, ({ item, why }): string => `${item}\0${why}`);
  return [...groups.values()].map((same) => {
    const { item, why }: { item: ItemName; why: string } = same[0]!;
    return `unknown:  ${item} of ${same.map(({ machine }) => machine).join(', ')}: ${why}`;
  });
}
