// e2e/qemu-kill.test.ts: is a run on a real pool that is killed (-9) on the way, or loses its donor's QEMU, ended rightly by the same command?
// One run and three seeded moments; HEADSTART_CAMPAIGN=full takes twenty runs with a random one each.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestCommands } from '../src/cli/guest-commands.ts';
import { DONOR_TAG } from '../src/prototype/names.ts';
import type { InstanceRef, PoolRef } from '../src/vms/factory.ts';
import { instanceFiles, parseVersionId, partialPrefix } from '../src/vms/qemu/layout.ts';
import type { QemuFactory } from '../src/vms/qemu/local-factory.ts';
import { createQemuFactory } from '../src/vms/qemu/qemu-factory.ts';
import { verifyVersion } from '../src/vms/qemu/version-records.ts';
import { ensureBaseImage } from './ensure-base.ts';
import { processesIn } from './qemu-lab.ts';

const BASE_MS = 30 * 60_000;
const RUN_MS = 15 * 60_000;
const POOL: PoolRef = { id: 'pools/kill', name: 'kill' };
const LAUNCHER = fileURLToPath(new URL('../headstart', import.meta.url));

/** Whom, and when: so long after the step was begun. */
interface Blow {
  victim: 'pipeline' | 'qemu';
  step: string;
  afterMs: number;
}

const STEPS = ['record-prior', 'seal-donor', 'stop-donor', 'take-snapshot', 'start-donor', 'begin-version'] as const;
/** A case: what befalls the command the first time, the second time … and once more it is left in peace. */
const SEEDED: readonly (readonly Blow[])[] = [
  [{ victim: 'pipeline', step: 'take-snapshot', afterMs: 0 }],
  [
    { victim: 'qemu', step: 'await-ready', afterMs: 2000 },
    { victim: 'pipeline', step: 'begin-version', afterMs: 5000 },
  ],
];
const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';
const cases = isCampaign ? Array.from({ length: 20 }, () => [[randomBlow()]]) : [SEEDED];

let home: string;
let factory: QemuFactory;
let donor: InstanceRef;
let before: string;

beforeAll(async () => {
  const { imageId, ...edges } = await ensureBaseImage();
  home = edges.home;
  factory = createQemuFactory({ ...edges, ...guestCommands(process.env) });
  await cleanUp(); // after a run that was killed itself
  await factory.createPool({
    name: POOL.name,
    image: { kind: 'version', id: imageId },
    customData: Buffer.from('#cloud-config\nwrite_files: [{path: /etc/bootstrapped, content: "yes"}]\n').toString(
      'base64',
    ),
    extensions: [],
    size: { cpus: 2, memoryMb: 1024, diskGb: 4 },
    services: [],
    tags: {},
  });
  const [made] = await factory.setCapacity(POOL, 1);
  donor = made!.ref;
  await factory.awaitUp(donor, { deadlineMs: RUN_MS });
  before = await identityOf(donor);
}, BASE_MS + RUN_MS);

afterAll(cleanUp, RUN_MS);

async function cleanUp(): Promise<void> {
  if ((await factory.readPool(POOL)) === undefined) return;
  await headstart(['prototype', 'uninstall', '--pool', POOL.name, '--to', 'original', '--yes']);
  await factory.deletePool(POOL);
}

describe('a run that is killed, and begun again', () => {
  let survived = 0;

  it.each(cases.map((one) => [told(one), one] as const))(
    'ends rightly: %s',
    { timeout: 3 * RUN_MS },
    async (_, blows) => {
      const run = ['prototype', 'run', '--node', donor.id, '--json'];
      for (const struck of blows) {
        const { signal } = await headstart(run, struck);
        // A random blow may come after the run has ended; a seeded one may not.
        if (!isCampaign) expect(signal).toBe('SIGKILL');
      }
      expect(await headstart(run)).toMatchObject({ code: 0 });

      const { model, tags } = (await factory.readPool(POOL))!;
      expect(model).toMatchObject({ image: { kind: 'version' }, bootstrap: 'none' });
      const version = parseVersionId((model.image as { id: string }).id)!;
      await verifyVersion(home, version);
      expect(readdirSync(join(home, 'galleries', version.gallery, version.definition)).filter(isPartial)).toEqual([]);
      expect(tags['headstart-bootstrap']).toBe('none');

      const instance = (await factory.readInstance(donor))!;
      expect(instance).toMatchObject({ power: 'running', protection: { fromScaleIn: false, fromPoolActions: false } });
      expect(Object.keys(instance.tags).filter((tag) => tag === DONOR_TAG || tag.startsWith('headstart-'))).toEqual([]);
      expect(await identityOf(donor)).toBe(before);
      // The donor's QEMU and nothing else: no scrub VM, no tool that outlived its command.
      expect(processesIn(home)).toEqual([await pidOf(donor)]);

      const undone = await headstart(['prototype', 'uninstall', '--pool', POOL.name, '--to', 'original', '--yes']);
      expect(undone).toMatchObject({ code: 0 });
      survived += 1;
    },
  );

  afterAll(() => console.log(`kill -9 on a QEMU pool: ${survived} of ${cases.length} runs ended rightly`));
});

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

const told = (blows: readonly (readonly Blow[])[]) =>
  blows
    .flat()
    .map(({ victim, step, afterMs }) => `the ${victim} at ${step} + ${afterMs} ms`)
    .join(', ');

/** The real command line. Each blow falls once the step it names was told of. */
async function headstart(args: readonly string[], blows: readonly Blow[] = []): Promise<Ended> {
  const child = spawn(LAUNCHER, args, {
    env: { ...process.env, HEADSTART_HOME: home, HEADSTART_VMS: 'qemu' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // the launcher's own children are to be hit as well
  });
  let [stdout, stderr] = ['', ''];
  const due = new Set(blows);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const blow of due) {
      if (!stdout.includes(`"step":"${blow.step}"`)) continue;
      due.delete(blow);
      setTimeout(() => void strike(blow, child.pid!), blow.afterMs);
    }
  });
  const ended = await new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stderr: `${stderr}\n${stdout.slice(-2000)}` }));
  });
  expect([...due], `the run never came to it: ${ended.stderr}`).toEqual([]);
  return ended;
}

async function strike({ victim }: Blow, pipeline: number): Promise<void> {
  try {
    process.kill(victim === 'pipeline' ? -pipeline : await pidOf(donor), 'SIGKILL');
  } catch {
    // It had ended by then: a run may be quicker than a late blow.
  }
}

async function pidOf(instance: InstanceRef): Promise<number> {
  const { folder } = await factory.placeOf(instance);
  return Number(readFileSync(join(folder, instanceFiles.pid), 'utf8'));
}

async function identityOf(instance: InstanceRef): Promise<string> {
  const script = 'cat /etc/machine-id /etc/ssh/ssh_host_*_key.pub /etc/hostname /etc/bootstrapped';
  const { stdout } = await factory.runInGuest(instance, ['/bin/sh', '-c', script], { deadlineMs: RUN_MS });
  return stdout.toString();
}

const isPartial = (name: string) => name.startsWith(partialPrefix);

function randomBlow(): Blow {
  const step = STEPS[Math.floor(Math.random() * STEPS.length)]!;
  // While the donor is off there is no QEMU of its to kill.
  const victim = Math.random() < 0.3 && !['take-snapshot', 'stop-donor'].includes(step) ? 'qemu' : 'pipeline';
  return { victim, step, afterMs: Math.floor(Math.random() * 8000) };
}
