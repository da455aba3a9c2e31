// node/apply/steps/kubelet-failing.ts: is kubelet in a crash loop? Then it terminates no pods, and a drain would wait
// for nothing. A kubelet that is stopped or has an unknown state does not count as failing: the drain must still
// respect disruption budgets.
import { KUBELET } from '../../desired/aspects/aspect.ts';
import type { ApplyDeps, UnitHealth } from '../contract.ts';

const CHECK_EVERY_MS = 3_000;
/** Consecutive checks that find kubelet active without another restart. */
const STABLE_CHECKS = 3;
/** Gives a kubelet that was just started time to become stable. */
const MAX_CHECKS = 12;

export async function isKubeletFailing({ probes, clock }: Pick<ApplyDeps, 'probes' | 'clock'>): Promise<boolean> {
  let last: UnitHealth | undefined;
  let same = 0;
  for (let look = 0; look < MAX_CHECKS; look++) {
    if (look > 0) await clock.sleep(CHECK_EVERY_MS);
    const seen = (await probes.units([KUBELET])).get(KUBELET);
    if (seen?.state === 'failed') return true;
    if (seen?.state !== 'active' && seen?.state !== 'starting') return false;
    const isSame = same > 0 && seen.restarts === last?.restarts;
    same = seen.state === 'active' ? (isSame ? same + 1 : 1) : 0;
    if (same === STABLE_CHECKS) return false;
    last = seen;
  }
  return true;
}
