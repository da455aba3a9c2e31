// bench/vms.ts: how much sooner is a prototype's clone ready than a generic node, on real VMs of this machine?
import { type Boot, bootNode, instancesOf, recordBoot } from '../demo/boots.ts';
import { READY_UNIT } from '../demo/bootstrap.ts';
import { formatSpan } from '../src/base/duration.ts';
import { median } from '../src/boot/model/noise.ts';
import type { Bench, Figure } from './figure.ts';
import { withStage } from './stage.ts';

const ROUNDS = Number(process.env.HEADSTART_BENCH_ROUNDS ?? 3);
const GOALS = { kept: 0.5, off: 0.3 } as const;
type Clone = keyof typeof GOALS;

export async function measureVms(bench: Bench): Promise<Figure[]> {
  const { progress } = bench;
  return withStage(bench, async (stage, recipe) => {
    const boots: Record<'generic' | Clone, Boot[]> = { generic: [], kept: [], off: [] };
    // Each pool's first node is a generic one, and the donor of its prototype.
    for (const pool of ['kept', 'off'] as const) {
      progress(`a generic node, and its prototype with cloud-init ${pool}`);
      await stage.headstart('pool', 'create', pool, '--count', '1', ...recipe);
      const [donor = ''] = await instancesOf(stage, pool);
      boots.generic.push(await recordBoot(stage, 'generic', donor));
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
    for (let round = 1; round <= ROUNDS; round++) {
      for (const kind of ['generic', 'kept', 'off'] as const) {
        progress(`round ${round} of ${ROUNDS}: ${kind}`);
        const boot = await bootNode(stage, kind === 'generic' ? 'generic' : 'prototype', kind);
        boots[kind].push(boot);
        await stage.headstart('pool', 'stop', boot.instance);
      }
    }
    return [
      ratio('cloud-init kept', boots.kept, boots.generic, GOALS.kept),
      ratio('cloud-init off', boots.off, boots.generic, GOALS.off),
    ];
  });
}

function ratio(what: string, clones: readonly Boot[], generic: readonly Boot[], goal: number): Figure {
  const measured = median(clones.map(({ readyUs }) => readyUs)) / median(generic.map(({ readyUs }) => readyUs));
  return {
    name: `prototype, ${what}, against generic: VM start to ${READY_UNIT} active`,
    goal: `at most ${goal}`,
    met: measured <= goal,
    said: `${measured.toFixed(2)}: ${spread(clones)} against ${spread(generic)}`,
    measured: { clones, generic },
  };
}

function spread(boots: readonly Boot[]): string {
  const of = (pick: (boot: Boot) => number) => boots.map(pick).sort((a, b) => a - b);
  const ready = of(({ readyUs }) => readyUs);
  const kernel = of(({ kernelUs }) => kernelUs);
  return `${formatSpan(median(ready))} (${formatSpan(ready[0]!)} to ${formatSpan(ready.at(-1)!)}, ${boots.length} boots, kernel ${formatSpan(kernel[0]!)} to ${formatSpan(kernel.at(-1)!)})`;
}
