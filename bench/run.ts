// bench/run.ts: how fast is headstart beside the real tools, in one run on one machine? Ratios on stdout, figures in out/bench.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGraph, writeLog } from './inputs.ts';
import { alternate, measure, type Summary } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const headstart = join(root, 'headstart');
const folder = mkdtempSync(join(tmpdir(), 'headstart-bench-'));
process.once('SIGINT', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(130);
});

interface Figure {
  name: string;
  goal: string;
  met: boolean;
  said: string;
  ours: Summary;
  peer?: Summary;
}

try {
  ensureCloudInit();
  await measure([headstart, '--help']); // fills the compile cache, as the first use after an install does
  const figures = [await help(), await bigLog(), await smallLog(), ...(await graph())];
  const load = spawnSync('cat', ['/proc/loadavg'], { encoding: 'utf8' }).stdout.trim();
  for (const { name, goal, met, said } of figures)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${name}: ${said}  (goal: ${goal})`);
  mkdirSync(join(root, 'out'), { recursive: true });
  const file = join(root, 'out', 'bench.json');
  writeFileSync(file, `${JSON.stringify({ cpu: cpus()[0]?.model, cores: cpus().length, load, figures }, null, 2)}\n`);
  console.log(`\nmachine: ${cpus().length} × ${cpus()[0]?.model}, load ${load}\nfigures: out/bench.json`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function help(): Promise<Figure> {
  progress('./headstart --help, 15 times');
  const { ours } = await alternate({ ours: [headstart, '--help'] }, 15);
  return { name: '--help', goal: 'under 100 ms', met: ours.medianS < 0.1, said: milliseconds(ours), ours };
}

async function bigLog(): Promise<Figure> {
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
    ours,
    peer,
  };
}

async function smallLog(): Promise<Figure> {
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
    ours,
    peer,
  };
}

async function graph(): Promise<Figure[]> {
  const input = join(folder, 'graph');
  progress('critical-chain and what-if --scan on 5,000 units, 9 times each');
  writeGraph(input, 5000);
  const both = [process.execPath, '--max-semi-space-size=64', join(root, 'bench', 'chain-and-scan.ts'), input];
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'headstart'); // this and the flag: as the launcher does
  await measure(both);
  const { chain, scan, together } = await alternate(
    {
      chain: [headstart, 'boot', 'systemd', 'critical-chain', '-i', input],
      scan: [headstart, 'boot', 'what-if', '--scan', '-i', input],
      together: both,
    },
    9,
  );
  const goal = 'critical-chain plus what-if --scan under 300 ms';
  const figure = (name: string, ours: Summary): Figure => ({
    name: `${name}, 5,000 units, process start and reading included`,
    goal,
    met: ours.medianS < 0.3 && ours.codes.every((code) => code === 0),
    said: milliseconds(ours),
    ours,
  });
  return [
    figure('critical-chain and what-if --scan in one process', together),
    figure('critical-chain', chain),
    figure('what-if --scan', scan),
  ];
}

function ensureCloudInit(): void {
  if (spawnSync('cloud-init', ['--version']).status === 0) return;
  if (process.getuid?.() !== 0) {
    console.error(
      'error: the bench compares with the real cloud-init, which is not installed\nnext:  install the package cloud-init, then run `make bench` again',
    );
    process.exit(1);
  }
  progress('installing cloud-init (Debian package)');
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const installed = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'cloud-init'], {
    stdio: 'ignore',
    env,
  });
  if (installed.status !== 0) throw new Error('apt-get could not install cloud-init');
}

function progress(what: string): void {
  console.error(`… ${what}`);
}

function milliseconds({ medianS, minS, maxS }: Summary): string {
  return `${(medianS * 1000).toFixed(0)} ms (${(minS * 1000).toFixed(0)} to ${(maxS * 1000).toFixed(0)})`;
}

function megabytes(path: string): string {
  return `${(statSync(path).size / 1e6).toFixed(0)} MB`;
}
