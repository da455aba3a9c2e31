// node/apply/steps/kubelet-failing.ts: does kubelet crash over and over? Asked before a drain: such a kubelet ends no pods, and to wait for that is
// to leave the node as it is. One that somebody has stopped, or that nobody can say anything about, is no reason to pass over budgets.
import { KUBELET } from '../../desired/aspects/aspect.ts';
import type { ApplyDeps, UnitHealth } from '../contract.ts';

const LOOK_EVERY_MS = 3_000;
/** So many looks in a row that find the same run of it. */
const ENOUGH = 3;
/** One that was just started, for whatever reason, has time to settle. */
const MOST_LOOKS = 12;

export async function isKubeletFailing({ probes, clock }: Pick<ApplyDeps, 'probes' | 'clock'>): Promise<boolean> {
  let last: UnitHealth | undefined;
  let same = 0;
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (look > 0) await clock.sleep(LOOK_EVERY_MS);
    const seen = (await probes.units([KUBELET])).get(KUBELET);
    if (seen?.state === 'failed') return true;
    if (seen?.state !== 'active' && seen?.state !== 'starting') return false;
    const isSame = same > 0 && seen.restarts === last?.restarts;
    same = seen.state === 'active' ? (isSame ? same + 1 : 1) : 0;
    if (same === ENOUGH) return false;
    last = seen;
  }
  return true;
}
