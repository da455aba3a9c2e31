// bench/boot.ts: how fast is boot analysis compared with the real cloud-init, in one run on one machine?
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { aptWaitS, installPackages } from '../demo/apt/install-packages.ts';
import { runApt } from '../demo/apt/run-apt.ts';
import { systemClock } from '../src/base/clock.ts';
import { UserError } from '../src/base/errors.ts';
import type { Bench, Figure } from './figure.ts';
import { writeGraph, writeLog } from './inputs.ts';
import { alternate, measure, type Summary } from './measure.ts';

export async function measureBoot(bench: Bench): Promise<Figure[]> {
  await ensureCloudInit(bench);
  await measure([bench.headstart, '--help']); // fills the compile cache, like the first use after an install
  return [await help(bench), await bigLog(bench), await smallLog(bench), ...(await graph(bench))];
}

async function help({ headstart, progress }: Bench): Promise<Figure> {
  progress('./headstart --help, 15 times');
  const { ours } = await alternate({ ours: [headstart, '--help'] }, 15);
  return {
    name: '--help',
    goal: 'under 100 ms',
    met: ours.medianS < 0.1,
    said: milliseconds(ours),
    measured: { ours },
  };
}

async function bigLog({ headstart, folder, progress }: Bench): Promise<Figure> {
  const log = join(folder, 'million.log');
  progress('cloud-init show on a log of a million lines, 3 times each');
  await writeLog(log, 1_000_000);
  const { ours, peer } = await alternate(
    {
      ours: [headstart, 'boot', 'cloud-init', 'show', '-i', log],
      peer: ['cloud-init', 'analyze', 'show', '-i', log],
    },
    3,
  );
  const ratio = peer.medianS / ours.medianS;
  return {
    name: `cloud-init show, 1,000,000 lines (${megabytes(log)})`,
    goal: '5 times faster, under 300 MB',
    met: ratio >= 5 && ours.peakMb < 300,
    said: `${ratio.toFixed(1)} times faster (${ours.medianS.toFixed(2)} s against ${peer.medianS.toFixed(2)} s), ${ours.peakMb.toFixed(0)} MB against ${peer.peakMb.toFixed(0)} MB`,
    measured: { ours, peer },
  };
}

async function smallLog({ headstart, folder, progress }: Bench): Promise<Figure> {
  const log = join(folder, 'two-mb.log');
  progress('cloud-init show on a log of 2 MB, process start included, 9 times each');
  await writeLog(log, 15_500);
  const { ours, peer } = await alternate(
    { ours: [headstart, 'boot', 'cloud-init', 'show', '-i', log], peer: ['cloud-init', 'analyze', 'show', '-i', log] },
    9,
  );
  const ratio = peer.medianS / ours.medianS;
  return {
    name: `cloud-init show, ${megabytes(log)}`,
    goal: 'not slower, process start included',
    met: ratio >= 1,
    said: `${ratio.toFixed(1)} times faster (${milliseconds(ours)} against ${milliseconds(peer)})`,
    measured: { ours, peer },
  };
}

async function graph({ root, headstart, folder, progress }: Bench): Promise<Figure[]> {
  const input = join(folder, 'graph');
  progress('critical-chain and what-if --scan on 5,000 units, 9 times each');
  writeGraph(input, 5000);
  const both = [process.execPath, '--max-semi-space-size=64', join(root, 'bench', 'chain-and-scan.ts'), input];
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'headstart'); // the launcher sets this and the flag, too
  await measure(both);
  const { chain, scan, together } = await alternate(
    {
      chain: [headstart, 'boot', 'systemd', 'critical-chain', '-i', input],
      scan: [headstart, 'boot', 'what-if', '--scan', '-i', input],
      together: both,
    },
    9,
  );
  const figure = (name: string, ours: Summary): Figure => ({
    name: `${name}, 5,000 units, process start and reading included`,
    goal: 'critical-chain plus what-if --scan under 300 ms',
    met: ours.medianS < 0.3 && ours.codes.every((code) => code === 0),
    said: milliseconds(ours),
    measured: { ours },
  });
  return [
    figure('critical-chain and what-if --scan in one process', together),
    figure('critical-chain', chain),
    figure('what-if --scan', scan),
  ];
}

async function ensureCloudInit({ progress }: Bench): Promise<void> {
  if (spawnSync('cloud-init', ['--version']).status === 0) return;
  if (process.getuid?.() !== 0)
    throw new UserError('the bench compares with the real cloud-init, which is not installed', {
      code: 'bench/no-cloud-init',
      next: 'install the package cloud-init, then run `make bench` again',
      exitCode: 1,
    });
  await installPackages(['cloud-init'], aptWaitS(process.env.HEADSTART_APT_WAIT), {
    ...{ runApt, clock: systemClock },
    say: progress,
  });
}

function milliseconds({ medianS, minS, maxS }: Summary): string {
  return `${(medianS * 1000).toFixed(0)} ms (${(minS * 1000).toFixed(0)} to ${(maxS * 1000).toFixed(0)})`;
}

function megabytes(path: string): string {
  return `${(statSync(path).size / 1e6).toFixed(0)} MB`;
}
