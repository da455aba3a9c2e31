// e2e/qemu-kill.test.ts: does the same command finish a run on a real pool that was killed (-9), or lost its donor's QEMU?
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
import type { QemuProvider } from '../src/vms/qemu/local-provider.ts';
import { createQemuProvider } from '../src/vms/qemu/qemu-provider.ts';
import { describeKills, type Ended, type Kill, randomKills, runWithKills } from './labs/kills.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { ensureBaseImage } from './programs/ensure-base.ts';

const BASE_MS = 30 * 60_000;
const RUN_MS = 15 * 60_000;
const POOL: PoolRef = { id: 'pools/kill', name: 'kill' };

/** Early enough to hit most runs while they work; each resumed run is further on, so together the kills reach every step. */
const LATEST_MS = 25_000;
/** What happens to the first, second and third call of the command; the next call must finish. */
const cases = requestedSeeds('1-12').map((seed) => ({ name: `seed ${seed}: `, kills: randomKills(seed, LATEST_MS) }));
/** Some of the three kills of a seed find a stopped donor or a finished run. */
const LEAST_KILLS = Math.floor((cases.length * 5) / 3);

let home: string;
let provider: QemuProvider;
let donor: InstanceRef;
let before: string;

beforeAll(async () => {
  const { imageId, ...deps } = await ensureBaseImage();
  home = deps.home;
  provider = createQemuProvider({ ...deps, ...guestCommands(process.env) });
  await cleanUp(); // after a run that was killed itself
  await provider.pools.createPool({
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
  const [made] = await provider.pools.setCapacity(POOL, 1);
  donor = made!.ref;
  await provider.guests.awaitUp(donor, { deadlineMs: RUN_MS });
  before = await identityOf(donor);
}, BASE_MS + RUN_MS);

afterAll(cleanUp, RUN_MS);

async function cleanUp(): Promise<void> {
  if ((await provider.pools.readPool(POOL)) === undefined) return;
  await headstart(['prototype', 'uninstall', '--pool', POOL.name, '--to', 'original', '--yes']);
  await provider.pools.deletePool(POOL);
}

describe('a run that is killed and repeated', () => {
  let survived = 0;
  let struck = 0;

  it.each(cases.map(({ name, kills }) => [`${name}${describeKills(kills.flat())}`, kills] as const))(
    'ends rightly: %s',
    { timeout: 3 * RUN_MS },
    async (_, kills) => {
      const run = ['prototype', 'run', '--node', donor.id, '--ready-for', '0', '--json'];
      for (const kill of kills) {
        const { hits } = await headstart(run, kill);
        struck += hits;
        if (hits > 0 && kill.some(({ victim }) => victim === 'qemu')) await startIfHome();
      }
      expect(await headstart(run)).toMatchObject({ code: 0 });

      const { model, tags } = (await provider.pools.readPool(POOL))!;
      expect(model).toMatchObject({ image: { kind: 'version' }, bootstrap: 'none' });
      const version = parseVersionId((model.image as { id: string }).id)!;
      await verifyVersion(home, version);
      expect(readdirSync(join(home, 'galleries', version.gallery, version.definition)).filter(isPartial)).toEqual([]);
      expect(tags['headstart-bootstrap']).toBe('none');

      const instance = (await provider.pools.readInstance(donor))!;
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
function headstart(args: readonly string[], kills: readonly Kill[] = []): Promise<Ended> {
  return runWithKills(kills, args, { home, pidOf: () => pidOf(donor) });
}

/** A donor that was killed after its return to service is an ordinary machine, which the run does not start again. */
async function startIfHome(): Promise<void> {
  const { power, tags } = (await provider.pools.readInstance(donor))!;
  if (power !== 'stopped' || tags[DONOR_TAG] !== undefined) return;
  await provider.pools.start(donor);
  await provider.guests.awaitUp(donor, { deadlineMs: RUN_MS });
}

function pidOf(instance: InstanceRef): number {
  return Number(readFileSync(join(instanceFolder(home, instance), instanceFiles.pid), 'utf8'));
}

async function identityOf(instance: InstanceRef): Promise<string> {
  const script = 'cat /etc/machine-id /etc/ssh/ssh_host_*_key.pub /etc/hostname /etc/bootstrapped';
  const { stdout } = await provider.guests.runInGuest(instance, ['/bin/sh', '-c', script], { deadlineMs: RUN_MS });
  return stdout.toString();
}

const isPartial = (name: string) => name.startsWith(partialPrefix);
