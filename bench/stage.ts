// bench/stage.ts: the demo's stage for the parts with real VMs, without its explanations; only figures are printed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrapConfig, READY_UNIT, SERVER_ADDRESS } from '../demo/bootstrap.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { openWorkshop } from '../demo/workshop.ts';
import type { Bench } from './figure.ts';

/** `recipe`: options of a pool whose nodes bootstrap like the demo's. Everything is removed afterwards. */
export async function withStage<T>(
  { root, folder, interruptible }: Bench,
  play: (stage: Stage, recipe: readonly string[]) => Promise<T>,
): Promise<T> {
  const signal = interruptible();
  const workshop = await openWorkshop(signal);
  try {
    const stage = quiet(openStage({ root, folder, home: workshop.home, signal }));
    return await play(stage, writeRecipe(stage, workshop.packages, workshop.server.port));
  } finally {
    await workshop.close();
  }
}

/** Its commands and answers are not shown. */
export function quiet(stage: Stage): Stage {
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
