// cli/prototype/donor-deps.ts: the deps for choosing a donor: the clock, the signal, and printing to stderr.
import type { ApproveDeps } from '../../prototype/donor/approve-donor.ts';
import { printable } from '../output/table.ts';
import type { CliDeps } from '../verb.ts';

export function donorDeps(deps: CliDeps): ApproveDeps {
  return {
    clock: { nowMs: () => deps.nowUs() / 1000 },
    signal: deps.signal(),
    onInspect: (nodeName) => deps.stderr(`inspecting ${nodeName} from inside ...\n`),
    onWarning: (warning) => deps.stderr(`note: ${printable(warning)}\n`),
  };
}
