// bench/prototype.ts: one complete run with the official SDK on the simulated Azure, Uniform and Flexible: requests, and the donor's time out of service.

import type { KubeLab } from '../e2e/labs/cluster-lab.ts';
import { BOOT_TIMES, type CaseOptions, openFakeCase, openRealCase } from '../e2e/labs/prototype-case.ts';
import { SEALED } from '../e2e/labs/prototype-lab.ts';
import { isKubeAtHand } from '../e2e/programs/ensure-kube.ts';
import { REALISTIC } from '../sims/azure/service/timing.ts';
import { Dial } from '../src/prototype/testing.ts';
import type { Bench, Figure } from './figure.ts';
import { describeRun, MOST_BEYOND_PERCENT, type RunFigures, runFigures } from './prototype-figures.ts';

export async function measurePrototype({ progress }: Bench): Promise<Figure[]> {
  const isReal = isKubeAtHand();
  const cluster = isReal ? 'a real API server' : 'a fake cluster: no API server is at hand (`make e2e` builds one)';
  progress(`one prototype run on a Uniform and on a Flexible scale set, with ${cluster}`);
  const kube = isReal ? await openKube() : undefined;
  try {
    const figures: Figure[] = [];
    for (const mode of ['Uniform', 'Flexible'] as const) {
      const measured = await measureRun(mode, kube);
      figures.push({
        name: `prototype run, ${mode}, SDK on the simulator, ${cluster}`,
        goal: `under ${MOST_BEYOND_PERCENT} % beyond`,
        met: measured.beyondPercent < MOST_BEYOND_PERCENT,
        said: describeRun(measured),
        measured,
      });
    }
    return figures;
  } finally {
    await kube?.close();
  }
}

async function openKube(): Promise<KubeLab> {
  const { openLab } = await import('../e2e/labs/cluster-lab.ts');
  const kube = await openLab();
  kube.kubelets.dials.runScript = () => SEALED;
  return kube;
}

async function measureRun(mode: CaseOptions['mode'], kube: KubeLab | undefined): Promise<RunFigures> {
  const options: CaseOptions = { mode, timing: REALISTIC };
  const one = kube ? await openRealCase(kube, options) : await openFakeCase(options);
  try {
    const { requests, violations } = one.lab.sim;
    const before = requests.length;
    const dial = new Dial();
    await one.run(dial);
    // A run that polls more often than Azure allows does not count.
    if (violations.length > 0) throw new Error(`the run asked too often: ${violations.join('; ')}`);
    return runFigures({
      told: one.told,
      requests: requests.slice(before),
      calls: dial.calls,
      timing: REALISTIC,
      backAfterMs: BOOT_TIMES.taintGoesAfterMs,
    });
  } finally {
    await one.end();
  }
}
