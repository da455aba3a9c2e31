// .ci/campaign.ts: `make campaign [PART=a,b] [SEEDS=1-12] [AGAIN=1]`: runs the parts of the campaign that have not passed on this tree yet.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOf, renderError, UserError } from '../src/base/errors.ts';
import { parseSeeds, renderSeeds } from '../src/base/seeds.testing.ts';
import { CAMPAIGN, type CampaignPart } from './campaign-parts.ts';
import { leftToRun, type PartRecord, recordAfter } from './campaign-record.ts';
import { chooseParts, renderParts } from './parts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'out', 'campaign');
const total = { passed: 0, failed: 0 };
let isStopped = false;

try {
  const { PART = '', SEEDS = '', AGAIN = '' } = process.env;
  const parts = chooseParts([PART], CAMPAIGN, 'campaign PART');
  if (!parts) process.stdout.write(listing());
  else await runAll(parts, SEEDS, AGAIN === '1');
} catch (error) {
  console.error(renderError(error));
  process.exitCode = exitCodeOf(error);
}

async function runAll(names: readonly string[], asked: string, isAgain: boolean): Promise<void> {
  const wanted = asked === '' ? undefined : parseSeeds(asked);
  if (asked !== '' && !wanted)
    throw new UserError(`SEEDS: expected seeds such as 1-12, got ${asked}`, {
      code: 'campaign/bad-seeds',
      kept: 'Nothing was run.',
      next: 'make campaign PART=help',
    });
  // make and the tests get the signal as well, and end in their own time.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => (isStopped = true));
  mkdirSync(folder, { recursive: true });
  const tree = treeNow();
  for (const name of names) if (!isStopped) await runPart(name, wanted, tree, isAgain);
  if (isStopped) console.log(`stopped: the same command${isAgain ? ' without AGAIN=1' : ''} goes on from here`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = isStopped ? 130 : total.failed > 0 ? 1 : 0;
}

async function runPart(name: string, asked: number[] | undefined, tree: string, isAgain: boolean): Promise<void> {
  const part = CAMPAIGN[name]!;
  const wanted = part.seeds === undefined ? [] : (asked ?? parseSeeds(part.seeds)!);
  const left = leftToRun(isAgain ? undefined : readRecord(name), tree, wanted);
  if (left.isDone) return console.log(`== ${name}: passed before on this tree (AGAIN=1 runs it again)`);
  if (isAgain) for (const file of [recordFile(name), notesFile(name)]) rmSync(file, { force: true });
  if (part.onVms) ensureTools();
  const calls = part.isSeedEach ? left.seeds.map((seed) => [seed]) : [left.seeds];
  let isPassed = true;
  for (const seeds of calls) {
    if (isStopped) return;
    console.log(`== ${name}${seeds.length > 0 ? `, seeds ${renderSeeds(seeds)}` : ''}`);
    writeRecord(name, recordAfter(readRecord(name), { tree, passed: [], isPassed: false }));
    const didPass = await runVitest(name, part, seeds);
    isPassed &&= didPass;
    writeRecord(name, recordAfter(readRecord(name), { tree, passed: didPass ? seeds : [], isPassed }));
  }
}

/** Counted by .ci/count.ts, whose last line is added to the total. */
async function runVitest(name: string, part: CampaignPart, seeds: readonly number[]): Promise<boolean> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HEADSTART_CAMPAIGN: 'full',
    HEADSTART_SEEDS_PASSED: notesFile(name),
    ...(seeds.length > 0 && { HEADSTART_SEEDS: renderSeeds(seeds) }),
  };
  const config = part.onVms || part.isOfE2e ? ['--config', 'e2e/vitest.config.ts'] : [];
  const argv = ['.ci/count.ts', ...config, ...part.files, `--reporter=${join(root, '.ci', 'seeds-passed.ts')}`];
  const child = spawn(process.execPath, argv, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] });
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-1000);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const [, passed = 0, failed = code === 0 || isStopped ? 0 : 1] =
    /^(\d+) passed, (\d+) failed.*\n*$/m.exec(tail) ?? [];
  total.passed += Number(passed);
  total.failed += Number(failed);
  return code === 0;
}

function ensureTools(): void {
  const tools = spawnSync(process.execPath, ['demo/ensure-tools.ts', 'vms', 'images'], { cwd: root, stdio: 'inherit' });
  if (tools.status !== 0)
    throw new UserError('programs for VMs are missing (named above)', {
      code: 'campaign/no-tools',
      next: 'make campaign PART=help',
      exitCode: 1,
    });
}

function recordFile(name: string): string {
  return join(folder, `${name}.json`);
}

/** Written by .ci/seeds-passed.ts. */
function notesFile(name: string): string {
  return join(folder, `${name}.seeds`);
}

/** With the seeds that passed before a run was stopped. */
function readRecord(name: string): PartRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(recordFile(name), 'utf8')) as PartRecord;
    return recordAfter(record, { ...record, passed: seedsNoted(name) });
  } catch {
    return undefined; // none, or one that was cut off
  }
}

function writeRecord(name: string, record: PartRecord): void {
  writeFileSync(recordFile(name), `${JSON.stringify(record)}\n`);
  rmSync(notesFile(name), { force: true });
}

function seedsNoted(name: string): number[] {
  try {
    return readFileSync(notesFile(name), 'utf8').trim().split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The commit, and a hash of what was changed since. */
function treeNow(): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;
  const added = git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean);
  const changes = git('diff', 'HEAD') + added.map((file) => file + readFileSync(join(root, file), 'utf8')).join('');
  const suffix = changes && `+${createHash('sha256').update(changes).digest('hex').slice(0, 12)}`;
  return `${git('rev-parse', 'HEAD').trim()}${suffix}`;
}

function listing(): string {
  const described = Object.entries(CAMPAIGN).map(([name, { about, seeds }]) => {
    return [name, { about: seeds ? `${about}; SEEDS=${seeds}` : about }] as const;
  });
  return renderParts(Object.fromEntries(described));
}
