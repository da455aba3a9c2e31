// cli/prototype/donor-deps.ts: what does the command line lend to the search for a donor: the time, the signal, and where news are printed.
import type { ApproveDeps } from '../../prototype/donor/approve-donor.ts';
import { printable } from '../output/table.ts';
import type { CliDeps } from '../verb.ts';

export function donorDeps(deps: CliDeps): ApproveDeps {
  return {
    clock: { nowMs: () => deps.nowUs() / 1000 },
    signal: deps.signal(),
    onInspect: (nodeName) => deps.stderr(`looking at ${nodeName} from inside ...\n`),
    onWarning: (warning) => deps.stderr(`note: ${printable(warning)}\n`),
  };
}
