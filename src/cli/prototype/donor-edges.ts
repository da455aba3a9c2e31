// cli/prototype/donor-edges.ts: what does the command line lend to the search for a donor: the time, the signal, and where news are printed.
import type { SettleEdges } from '../../prototype/donor/settle-donor.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

export function donorEdges(edges: Edges): SettleEdges {
  return {
    clock: { nowMs: () => edges.nowUs() / 1000 },
    signal: edges.signal(),
    onInspect: (nodeName) => edges.stderr(`looking at ${nodeName} from inside ...\n`),
    onWarning: (warning) => edges.stderr(`note: ${printable(warning)}\n`),
  };
}
