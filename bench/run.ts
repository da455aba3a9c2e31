// bench/run.ts: which figures does this machine reach? `make bench [PARTS=a,b]`: lines on stdout, figures in out/bench.json.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseParts, renderParts } from '../.ci/parts.ts';
import { exitCodeOf, Interrupted, renderError } from '../src/base/errors.ts';
import type { Bench, Figure, Part } from './figure.ts';

interface BenchPart {
  about: string;
  load: () => Promise<Part>;
}

/** In the order they are run when none is named. */
const PARTS: Readonly<Record<string, BenchPart>> = {
  boot: {
    about: 'Boot analysis next to the real cloud-init: --help, large logs, large unit graphs',
    load: async () => (await import('./boot.ts')).measureBoot,
  },
  large: {
    about: 'Very large inputs: 20,000 boots in one log, a gigabyte of each kind; the cost of recording a boot',
    load: async () => (await import('./large-inputs.ts')).measureLargeInputs,
  },
  prototype: {
    about: 'A whole prototype run on the simulated Azure: requests, time out of service',
    load: async () => (await import('./prototype.ts')).measurePrototype,
  },
  requests: {
    about: 'Requests of rollback, plan and run before their first change, by the size of the pool',
    load: async () => (await import('./requests.ts')).measureRequests,
  },
  node: {
    about: 'What a node waits for its configuration, and what the daemon costs afterwards',
    load: async () => (await import('./node.ts')).measureNode,
  },
  image: {
    about: 'Building images: the first, the next patch version, ten at once',
    load: async () => (await import('./image.ts')).measureImage,
  },
  vms: {
    about: 'On real VMs: how much sooner a clone is ready than a generic node',
    load: async () => (await import('./vms.ts')).measureVms,
  },
  kubernetes: {
    about: 'On real VMs: from VM start to Node Ready, by kind of node (needs Go, once)',
    load: async () => (await import('./kubernetes.ts')).measureKubernetes,
  },
  standby: {
    about: 'On real VMs: from the claim of a standby node to Ready, by tier, next to nodes that boot (needs Go, once)',
    load: async () => (await import('./standby.ts')).measureStandby,
  },
  'what-if': {
    about: 'On real VMs: the predicted savings of five edits next to what real boots save',
    load: async () => (await import('./what-if.ts')).measureWhatIf,
  },
};

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-bench-'));
process.env.TMPDIR = folder; // removed with everything that an interrupted part leaves behind
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
  const parts = chooseParts(process.argv.slice(2), PARTS, 'bench PARTS');
  if (parts) await measureAll(parts);
  else process.stdout.write(renderParts(PARTS));
} catch (error) {
  console.error(renderError(error));
  process.exitCode ??= exitCodeOf(error);
}

async function measureAll(parts: readonly string[]): Promise<void> {
  const figures: Figure[] = [];
  for (const name of parts) {
    const measure = await PARTS[name]!.load();
    for (const figure of await measure(bench)) {
      console.log(`${figure.met ? 'met   ' : 'MISSED'}  ${figure.name}: ${figure.said}  (goal: ${figure.goal})`);
      figures.push(figure);
    }
  }
  keep(figures);
}

function keep(figures: readonly Figure[]): void {
  const [cpu] = cpus();
  const load = readFileSync('/proc/loadavg', 'utf8').trim();
  mkdirSync(join(root, 'out'), { recursive: true });
  const machine = { cpu: cpu?.model, cores: cpus().length, load };
  writeFileSync(join(root, 'out', 'bench.json'), `${JSON.stringify({ ...machine, figures }, null, 2)}\n`);
  console.log(`\nmachine: ${machine.cores} × ${machine.cpu}, load ${load}\nfigures: out/bench.json`);
}
