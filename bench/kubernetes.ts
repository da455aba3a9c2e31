// bench/kubernetes.ts: how long from the start of the VM to Node Ready, on real nodes of a real cluster? A generic node, its prototype with
// cloud-init on and off, and our image configured from metadata; alternating, so that other load on the machine affects all of them.
import { join } from 'node:path';
import { instancesOf } from '../demo/boots.ts';
import { bootOneMore, type NodeBoot, removeNewest } from '../demo/kubernetes/boots.ts';
import { raiseCluster } from '../demo/kubernetes/cluster.ts';
import { genericPoolOptions, imagePoolOptions } from '../demo/kubernetes/pool-options.ts';
import { openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage } from '../demo/stage.ts';
import { formatSpan } from '../src/base/duration.ts';
import { median } from '../src/boot/model/noise.ts';
import type { Bench, Figure } from './figure.ts';
import { quiet } from './stage.ts';

const ROUNDS = Number(process.env.HEADSTART_BENCH_ROUNDS ?? 3);
/** Measured manually before any of this was built. */
const GOALS = { kept: 0.47, off: 0.3, image: 0.28 } as const;
const NAMES = { kept: 'prototype, cloud-init kept', off: 'prototype, cloud-init off', image: 'image' } as const;
type Faster = keyof typeof GOALS;

export async function measureKubernetes(bench: Bench): Promise<Figure[]> {
  const { root, folder, progress, interruptible } = bench;
  const signal = interruptible();
  const home = join(folder, 'kubernetes');
  const workshop = await openKubeWorkshop(home, signal);
  try {
    const stage = quiet(openStage({ root, folder, home, signal }));
    const boots: Record<'generic' | Faster, NodeBoot[]> = { generic: [], kept: [], off: [], image: [] };
    const cluster = await raiseCluster(stage);
    const recipe = genericPoolOptions(stage, workshop, cluster);
    // Each pool's first node is a generic one, and the donor of its prototype. It is not measured, because no other kind boots in its turn.
    for (const pool of ['kept', 'off'] as const) {
      progress(`a generic node, and its prototype with cloud-init ${pool}`);
      await stage.headstart('pool', 'create', pool, '--count', '1', ...recipe);
      const [donor = ''] = await instancesOf(stage, pool);
      await stage.headstart(
        'prototype',
        'run',
        '--node',
        donor,
        '--ready-for',
        '0',
        '--cloud-init',
        pool === 'off' ? 'off' : 'on',
      );
      await stage.headstart('pool', 'stop', donor);
    }
    await stage.headstart('pool', 'create', 'generic', '--count', '0', ...recipe);
    const image = await imagePoolOptions(stage, workshop, cluster);
    await stage.headstart('pool', 'create', 'image', '--count', '0', ...image);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const kind of ['generic', 'kept', 'off', 'image'] as const) {
        progress(`round ${round} of ${ROUNDS}: ${kind}`);
        boots[kind].push(await bootOneMore(stage, home, kind));
        await removeNewest(stage, kind);
      }
    }
    return (['kept', 'off', 'image'] as const).map((kind) => ratio(kind, boots[kind], boots.generic));
  } finally {
    await workshop.close();
  }
}

function ratio(kind: Faster, faster: readonly NodeBoot[], generic: readonly NodeBoot[]): Figure {
  const measured = median(faster.map(({ readyMs }) => readyMs)) / median(generic.map(({ readyMs }) => readyMs));
  return {
    name: `${NAMES[kind]}, against a generic node: VM start to Node Ready`,
    goal: `at most ${GOALS[kind]}`,
    met: measured <= GOALS[kind],
    said: `${measured.toFixed(2)}: ${spread(faster)} against ${spread(generic)}`,
    measured: { faster, generic },
  };
}

function spread(boots: readonly NodeBoot[]): string {
  const span = (ms: number) => formatSpan(ms * 1000);
  const sorted = boots.map(({ readyMs }) => readyMs).sort((a, b) => a - b);
  return `${span(median(sorted))} (${span(sorted[0]!)} to ${span(sorted.at(-1)!)}, ${boots.length} boots)`;
}
