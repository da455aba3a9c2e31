// bench/inputs.ts: large inputs, made from the recorded boots or generated, so that differences in speed are visible.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inputText } from '../src/boot/load/input.ts';
import { openInputs } from '../src/boot/load/open-inputs.ts';

/** The recorded cloud-init.log over and over, as a machine that boots often would have it. */
export async function writeLog(path: string, lines: number): Promise<void> {
  const archive = fileURLToPath(new URL('../src/boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
  const [group] = await openInputs(archive, () => new Uint8Array());
  const log = group!.inputs.find((input) => input.name.endsWith('cloud/cloud-init.log'))!;
  const text = inputText(log);
  const perBoot = text.split('\n').length - 1;
  const file = openSync(path, 'w');
  for (let written = 0; written < lines; written += perBoot) writeSync(file, text);
  closeSync(file);
}

/** A graph of `count` units as `systemctl show` prints it: layers, many edges, one long chain through all of them. */
export function writeGraph(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const random = seeded(7);
  const endUs: number[] = [];
  const blocks: string[] = [];
  for (let i = 0; i < count; i++) {
    const after = new Set<number>();
    if (i > 0) for (let k = 0; k < 8; k++) after.add(Math.max(0, i - 1 - Math.floor(random() * 60)));
    const startUs =
      2_400_000 +
      [...after].reduce((latest, j) => Math.max(latest, endUs[j]! - 2_400_000), 0) +
      Math.floor(random() * 300);
    endUs.push(startUs + Math.floor(random() * 5000));
    const name = (j: number) => (j === count - 1 ? 'graphical.target' : `unit-${j}.service`);
    blocks.push(
      [
        `Id=${name(i)}`,
        `Names=${name(i)}${i === count - 1 ? ' default.target' : ''}`,
        `After=${[...after].map(name).join(' ')}`,
        'LoadState=loaded',
        `InactiveExitTimestampMonotonic=${startUs}`,
        `ActiveEnterTimestampMonotonic=${endUs[i]}`,
        'ActiveExitTimestampMonotonic=0',
        'InactiveEnterTimestampMonotonic=0',
      ].join('\n'),
    );
  }
  writeFileSync(join(folder, 'units.txt'), `${blocks.join('\n\n')}\n`);
  writeFileSync(
    join(folder, 'manager.txt'),
    `Version=252\nFirmwareTimestampMonotonic=0\nLoaderTimestampMonotonic=0\nKernelTimestamp=Tue 2023-11-14 22:13:20 UTC\nKernelTimestampMonotonic=0\nInitRDTimestampMonotonic=0\nUserspaceTimestampMonotonic=2345678\nFinishTimestampMonotonic=${Math.max(...endUs) + 1000}\nSecurityStartTimestampMonotonic=2350000\nSecurityFinishTimestampMonotonic=2360000\nGeneratorsStartTimestampMonotonic=2370000\nGeneratorsFinishTimestampMonotonic=2380000\nUnitsLoadStartTimestampMonotonic=2380000\nUnitsLoadFinishTimestampMonotonic=2390000\n`,
  );
}

/** The same graph every run (a linear congruential generator is random enough for that). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
