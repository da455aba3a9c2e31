// image/test/test-image.ts: does a built image boot within its budget to a node that can start kubelet, with the content of its lock?
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { phases } from '../../boot/model/phases.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import type { Budget } from '../../boot/questions/budget.ts';
import { type BudgetCheck, checkBootBudget } from '../../boot/questions/check-budget.ts';
import { statfsFree } from '../../host/disk-space.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import { readBuild, readSmall, verifyBuild } from '../build/build-folder.ts';
import { requireOwnDisk } from '../build/disk/own-disk.ts';
import { PLACED_FILES, parsePlaced } from '../build/files/placed-files.ts';
import { type BootImageDeps, bootImage, FILES } from './boot-image.ts';
import { checksOf, type ExpectedImage, type LockPart, questionsFor } from './checks.ts';
import { factsScript, type GuestFacts, readFacts } from './guest-facts.ts';
import { readTest, writeTest } from './record.ts';
import { type BootMethod, type BootTest, type ImageTest, withBoot } from './verdict.ts';

export interface ImageTestRequest {
  folder: string;
  way: BootMethod;
  budget?: Budget | undefined;
  /** For the guest to come up. */
  deadlineMs: number;
}

export interface ImageTestDeps extends BootImageDeps {
  /** Collects the boot record of an instance. */
  collect(instance: string): Promise<BootRecord>;
  onStep(what: string): void;
}

export interface ImageTestResult {
  boot: BootTest;
  /** The content of test.json, including earlier results of other boot methods. */
  test: ImageTest;
  record?: BootRecord;
}

/** The files of a build that define its expected content. */
const TEXTS = { lock: 'lock.json', release: 'release.json', placed: PLACED_FILES, images: 'images.json' } as const;
const imagesSchema = z.object({ images: z.array(z.object({ name: z.string(), digest: z.string() })) });

const GUEST_COMMAND_MS = 5 * 60_000;
/** Several times what a first boot writes. */
const NEEDED_BYTES = 1 << 30;

/** Writes the result into the build folder. The caller removes the VM. */
export async function testImage(
  { folder, way, budget, deadlineMs }: ImageTestRequest,
  deps: ImageTestDeps,
): Promise<ImageTestResult> {
  const build = await readBuild(folder);
  await requireSpaceForVm(deps.home);
  deps.onStep(`verifying the build ${build.name} ${build.version}`);
  await verifyBuild(folder, build, { ...deps, only: [...Object.values(TEXTS), ...FILES[way]] });
  await requireOwnDisk(join(folder, FILES[way][0]), build.diskBytes);
  const read = (name: keyof typeof TEXTS) => readSmall(join(folder, TEXTS[name]));
  const expected: ExpectedImage = {
    build,
    way,
    lock: readLockPart(await read('lock')),
    release: await read('release'),
    placed: parsePlaced(await read('placed')),
    images: imagesSchema.parse(JSON.parse(await read('images'))).images,
  };

  deps.onStep(way === 'firmware' ? 'starting the VHD with UEFI firmware' : 'starting the disk with its kernel');
  const instance = await bootImage(folder, build, way, deps);
  const found = await observeBoot(instance.ref, expected, deadlineMs, deps);
  const boot = judgeBoot(expected, found, budget);
  const test = withBoot(await readTest(folder), build, boot);
  writeTest(folder, test);
  return { boot, test, ...('record' in found && { record: found.record }) };
}

/** QEMU stops a VM if its disk cannot be written. The image would then seem not to boot. */
async function requireSpaceForVm(home: string): Promise<void> {
  const free = await statfsFree(home);
  if (free >= NEEDED_BYTES) return;
  throw new UserError(
    `the test VM needs ${NEEDED_BYTES >> 20} MiB in ${home}, but only ${Math.floor(free / 2 ** 20)} MiB are free`,
    {
      code: 'image/no-space',
      kept: 'Nothing was started.',
      next: 'free some space, or name a folder on another disk with TMPDIR',
      exitCode: 1,
    },
  );
}

type BootObservation = { trouble: string } | { record: BootRecord; facts: GuestFacts };

async function observeBoot(
  ref: InstanceRef,
  expected: ExpectedImage,
  deadlineMs: number,
  deps: ImageTestDeps,
): Promise<BootObservation> {
  const { provider, signal, onStep } = deps;
  const options = { signal, onWaiting: deps.onWaiting };
  try {
    await provider.guests.awaitUp(ref, { ...options, deadlineMs });
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'vms/not-up') throw error;
    return { trouble: error.message };
  }
  onStep('the node is ready; waiting for the boot to finish');
  await provider.guests.runInGuest(ref, ['systemctl', 'is-system-running', '--wait'], {
    ...options,
    deadlineMs: GUEST_COMMAND_MS,
  });
  onStep('collecting the boot record');
  const record = await deps.collect(ref.id);
  onStep('checking the content');
  const { stdout } = await provider.guests.runInGuest(ref, ['/bin/sh', '-s'], {
    ...options,
    deadlineMs: GUEST_COMMAND_MS,
    input: factsScript(questionsFor(expected)),
  });
  return { record, facts: readFacts(stdout.toString()) };
}

export function judgeBoot(expected: ExpectedImage, found: BootObservation, budget: Budget | undefined): BootTest {
  const { way, build } = expected;
  const files = Object.fromEntries(FILES[way].map((name) => [name, build.files[name]!.sha256]));
  if ('trouble' in found) {
    const check = { name: 'boots', isPassed: false, detail: found.trouble };
    return { way, files, isPassed: false, checks: [check], phases: [], budget: [] };
  }
  const { record, facts } = found;
  const checks = [{ name: 'boots', isPassed: true, detail: 'reached the ready state' }, ...checksOf(expected, facts)];
  const limits = budget ? checkBootBudget(record, budget) : [];
  const ready = record.units.find(({ name }) => name === 'headstart-node-ready.target')?.activatedUs;
  return {
    way,
    files,
    isPassed: checks.every(({ isPassed }) => isPassed) && limits.every(({ verdict }) => verdict === 'ok'),
    checks,
    phases: phases(record).map(({ name, startUs, endUs }) => ({ name, tookMs: toMs(endUs - startUs) })),
    ...(ready !== undefined && ready > 0 && { readyMs: toMs(ready) }),
    budget: limits.map(inMs),
  };
}

function inMs({ path, limitUs, actualUs, verdict, detail }: BudgetCheck): BootTest['budget'][number] {
  return {
    path,
    limitMs: toMs(limitUs),
    ...(actualUs !== undefined && { actualMs: toMs(actualUs) }),
    verdict,
    ...(detail !== undefined && { detail }),
  };
}

const toMs = (us: number) => Math.round(us / 1000);

/** Parses only the checked fields; the file's checksum was verified before. */
function readLockPart(text: string): LockPart {
  return lockSchema.parse(JSON.parse(text));
}

const lockSchema: z.ZodType<LockPart> = z.object({
  artifacts: z.array(
    z.object({
      component: z.string(),
      kind: z.enum(['deb', 'archive', 'binary', 'oci-image']),
      version: z.string(),
      kubernetes: z.string().exactOptional(),
      sha256: z.string(),
      install: z.object({ to: z.string() }).exactOptional(),
    }),
  ),
  files: z.array(z.object({ to: z.string(), sha256: z.string() })),
});
