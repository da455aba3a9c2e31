// e2e/qemu-kill.test.ts: is a run on a real pool that is killed (-9) on the way, or loses its donor's QEMU, ended rightly by the same command?
// A part of the campaign (`make campaign PART=pool-kills`): a run for each seed, killed three times.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestedSeeds } from '../src/base/seeds.testing.ts';
import { guestCommands } from '../src/cli/compose/guest-commands.ts';
import { partialPrefix } from '../src/host/whole-folders.ts';
import { DONOR_TAG } from '../src/prototype/names.ts';
import type { InstanceRef, PoolRef } from '../src/vms/pools.ts';
import { instanceFiles, instanceFolder, parseVersionId } from '../src/vms/qemu/home/layout.ts';
import { verifyVersion } from '../src/vms/qemu/home/version-records.ts';
import type { QemuFactory } from '../src/vms/qemu/local-factory.ts';
import { createQemuFactory } from '../src/vms/qemu/qemu-factory.ts';
import { type Blow, drawnBlows, type Ended, headstartUnder, toldBlows } from './labs/blows.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { ensureBaseImage } from './programs/ensure-base.ts';

const BASE_MS = 30 * 60_000;
const RUN_MS = 15 * 60_000;
const POOL: PoolRef = { id: 'pools/kill', name: 'kill' };

/** Early enough to find most runs at work; each that was resumed is further on, so together they come to every step. */
const LATEST_MS = 25_000;
/** A case: what happens to the command the first, second and third time; then it is left alone and must finish. */
const cases = requestedSeeds('1-12').map((seed) => ({ name: `seed ${seed}: `, blows: drawnBlows(seed, LATEST_MS) }));
/** Of the three blows of a seed some find a donor that is off, or a run that has ended. */
const LEAST_KILLS = Math.floor((cases.length * 5) / 3);

let home: string;
let factory: QemuFactory;
let donor: InstanceRef;
let before: string;

beforeAll(async () => {
  const { imageId, ...deps } = await ensureBaseImage();
  home = deps.home;
  factory = createQemuFactory({ ...deps, ...guestCommands(process.env) });
  await cleanUp(); // after a run that was killed itself
  await factory.pools.createPool({
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
  const [made] = await factory.pools.setCapacity(POOL, 1);
  donor = made!.ref;
  await factory.guests.awaitUp(donor, { deadlineMs: RUN_MS });
  before = await identityOf(donor);
}, BASE_MS + RUN_MS);

afterAll(cleanUp, RUN_MS);

async function cleanUp(): Promise<void> {
  if ((await factory.pools.readPool(POOL)) === undefined) return;
  await headstart(['prototype', 'uninstall', '--pool', POOL.name, '--to', 'original', '--yes']);
  await factory.pools.deletePool(POOL);
}

describe('a run that is killed, and begun again', () => {
  let survived = 0;
  let struck = 0;

  it.each(cases.map(({ name, blows }) => [`${name}${toldBlows(blows.flat())}`, blows] as const))(
    'ends rightly: %s',
    { timeout: 3 * RUN_MS },
    async (_, blows) => {
      const run = ['prototype', 'run', '--node', donor.id, '--json'];
      for (const blow of blows) {
        const { hits } = await headstart(run, blow);
        struck += hits;
        if (hits > 0 && blow.some(({ victim }) => victim === 'qemu')) await startIfHome();
      }
      expect(await headstart(run)).toMatchObject({ code: 0 });

      const { model, tags } = (await factory.pools.readPool(POOL))!;
      expect(model).toMatchObject({ image: { kind: 'version' }, bootstrap: 'none' });
      const version = parseVersionId((model.image as { id: string }).id)!;
      await verifyVersion(home, version);
      expect(readdirSync(join(home, 'galleries', version.gallery, version.definition)).filter(isPartial)).toEqual([]);
      expect(tags['headstart-bootstrap']).toBe('none');

      const instance = (await factory.pools.readInstance(donor))!;
      expect(instance).toMatchObject({ power: 'running', protection: { fromScaleIn: false, fromPoolActions: false } });
      expect(Object.keys(instance.tags).filter((tag) => tag === DONOR_TAG || tag.startsWith('headstart-'))).toEqual([]);
      expect(await identityOf(donor)).toBe(before);
      // The donor's QEMU and nothing else: no scrub VM, no tool that outlived its command.
      expect(processesIn(home)).toEqual([pidOf(donor)]);

      const undone = await headstart(['prototype', 'uninstall', '--pool', POOL.name, '--to', 'original', '--yes']);
      expect(undone).toMatchObject({ code: 0 });
      survived += 1;
    },
  );

  afterAll(() => {
    console.log(`kill -9 on a QEMU pool: ${struck} kills, ${survived} of ${cases.length} runs ended rightly`);
    expect(struck).toBeGreaterThanOrEqual(LEAST_KILLS);
  });
});

/** The real command line. */
function headstart(args: readonly string[], blows: readonly Blow[] = []): Promise<Ended> {
  return headstartUnder(blows, args, { home, pidOf: () => pidOf(donor) });
}

/** A donor that was hit when it was back in service already is a machine like any other, and not the run's to start again. */
async function startIfHome(): Promise<void> {
  const { power, tags } = (await factory.pools.readInstance(donor))!;
  if (power !== 'stopped' || tags[DONOR_TAG] !== undefined) return;
  await factory.pools.start(donor);
  await factory.guests.awaitUp(donor, { deadlineMs: RUN_MS });
}

function pidOf(instance: InstanceRef): number {
  return Number(readFileSync(join(instanceFolder(home, instance), instanceFiles.pid), 'utf8'));
}

async function identityOf(instance: InstanceRef): Promise<string> {
  const script = 'cat /etc/machine-id /etc/ssh/ssh_host_*_key.pub /etc/hostname /etc/bootstrapped';
  const { stdout } = await factory.guests.runInGuest(instance, ['/bin/sh', '-c', script], { deadlineMs: RUN_MS });
  return stdout.toString();
}

const isPartial = (name: string) => name.startsWith(partialPrefix);
