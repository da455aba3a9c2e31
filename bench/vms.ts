// bench/vms.ts: on real VMs of this machine: how much sooner is a prototype's clone ready than a generic node, and is what-if right?
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Boot, bootNode, instancesOf, recordBoot } from '../demo/boots.ts';
import { bootstrapConfig, READY_UNIT, SERVER_ADDRESS } from '../demo/bootstrap.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { openWorkshop } from '../demo/workshop.ts';
import { formatSpan } from '../src/base/duration.ts';
import { median } from '../src/boot/noise.ts';
import type { Bench, Figure } from './figure.ts';
import { measureWhatIf } from './what-if.ts';

const ROUNDS = Number(process.env.HEADSTART_BENCH_ROUNDS ?? 3);
const GOALS = { kept: 0.5, off: 0.3 } as const;
type Clone = keyof typeof GOALS;

export async function measureVms({ root, folder, progress, interruptible }: Bench): Promise<Figure[]> {
  const signal = interruptible();
  const workshop = await openWorkshop(signal);
  try {
    const stage = quiet(openStage({ root, folder, home: workshop.home, signal }));
    const recipe = writeRecipe(stage, workshop.packages, workshop.server.port);
    const boots: Record<'generic' | Clone, Boot[]> = { generic: [], kept: [], off: [] };
    // Each pool's first node is a generic one, and the donor of its prototype.
    for (const pool of ['kept', 'off'] as const) {
      progress(`a generic node, and its prototype with cloud-init ${pool}`);
      await stage.headstart('pool', 'create', pool, '--count', '1', ...recipe);
      const [donor = ''] = await instancesOf(stage, pool);
      boots.generic.push(await recordBoot(stage, 'generic', donor));
      await stage.headstart('prototype', 'run', '--node', donor, '--cloud-init', pool === 'off' ? 'off' : 'on');
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
    progress('what-if against a real second boot');
    return [
      ratio('cloud-init kept', boots.kept, boots.generic, GOALS.kept),
      ratio('cloud-init off', boots.off, boots.generic, GOALS.off),
      await measureWhatIf(stage, boots.off[0]!.instance),
    ];
  } finally {
    await workshop.close();
  }
}

/** Figures are what is printed; the commands are the demo's to show. */
function quiet(stage: Stage): Stage {
  return { ...stage, headstart: stage.ask, brief: stage.ask, act: () => {}, say: () => {} };
}

function writeRecipe(stage: Stage, packages: readonly string[], port: number): string[] {
  const customData = join(stage.folder, 'bootstrap.yaml');
  rmSync(customData, { force: true });
  writeFileSync(customData, bootstrapConfig(packages));
  return [
    ...['--custom-data', customData, '--ready-unit', READY_UNIT],
    ...['--service', `${SERVER_ADDRESS}:80=127.0.0.1:${port}`],
  ];
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
