// bench/run.ts: what do the project's promises measure on this machine? `node bench/run.ts [PART…]`: lines on stdout, figures in out/bench.json.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOf, Interrupted, renderError, UserError } from '../src/base/errors.ts';
import type { Bench, Figure, Part } from './figure.ts';

/** In the order they are run when none is named. */
const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  boot: async () => (await import('./boot.ts')).measureBoot,
  prototype: async () => (await import('./prototype.ts')).measurePrototype,
  node: async () => (await import('./node.ts')).measureNode,
  image: async () => (await import('./image.ts')).measureImage,
  vms: async () => (await import('./vms.ts')).measureVms,
  kubernetes: async () => (await import('./kubernetes.ts')).measureKubernetes,
  'what-if': async () => (await import('./what-if.ts')).measureWhatIf,
};

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-bench-'));
process.env.TMPDIR = folder; // whatever a part leaves behind when it is interrupted goes with it
let interruption: AbortController | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    if (!interruption) process.exit(130);
    process.exitCode = 130;
    interruption.abort(new Interrupted(signal));
  });
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const bench: Bench = {
  root,
  folder,
  headstart: join(root, 'headstart'),
  progress: (what) => console.error(`… ${what}`),
  interruptible: () => {
    interruption = new AbortController();
    return interruption.signal;
  },
};

try {
  const figures: Figure[] = [];
  for (const name of chosenParts(process.argv.slice(2))) {
    for (const figure of await (await PARTS[name]!())(bench)) {
      console.log(`${figure.met ? 'met   ' : 'MISSED'}  ${figure.name}: ${figure.said}  (goal: ${figure.goal})`);
      figures.push(figure);
    }
  }
  keep(figures);
} catch (error) {
  console.error(renderError(error));
  process.exitCode ??= exitCodeOf(error);
}

function chosenParts(asked: readonly string[]): readonly string[] {
  const known = Object.keys(PARTS);
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown === undefined) return asked.length > 0 ? asked : known;
  throw new UserError(`the bench has no part ${unknown}`, {
    code: 'bench/no-such-part',
    next: `node bench/run.ts ${known.join(' | ')}`,
  });
}

function keep(figures: readonly Figure[]): void {
  const [cpu] = cpus();
  const load = readFileSync('/proc/loadavg', 'utf8').trim();
  mkdirSync(join(root, 'out'), { recursive: true });
  const machine = { cpu: cpu?.model, cores: cpus().length, load };
  writeFileSync(join(root, 'out', 'bench.json'), `${JSON.stringify({ ...machine, figures }, null, 2)}\n`);
  console.log(`\nmachine: ${machine.cores} × ${machine.cpu}, load ${load}\nfigures: out/bench.json`);
}
