// image/test/record.ts: what did a test of an image find? `test.json` beside the build, which publishing asks for.
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { readSmall } from '../build/build-folder.ts';
import type { BuildRecord } from '../build/contract.ts';

export const TEST_RECORD = 'test.json';

/** kernel: QEMU starts the qcow2's kernel · firmware: UEFI starts the VHD, as a cloud does. */
export type Way = 'kernel' | 'firmware';

export interface Check {
  /** Stable: `packages`, `units.kubelet`. */
  name: string;
  isPassed: boolean;
  /** What was found, in one line. */
  detail: string;
}

export interface PhaseTime {
  name: string;
  tookMs: number;
}

export interface BootTest {
  way: Way;
  /** The build's files that were booted, by name: their sha256. */
  files: Readonly<Record<string, string>>;
  isPassed: boolean;
  checks: Check[];
  phases: PhaseTime[];
  /** Since the kernel started, until the daemon said that kubelet may. */
  readyMs?: number;
  budget: {
    path: string;
    limitMs: number;
    actualMs?: number;
    verdict: 'ok' | 'exceeded' | 'unknown';
    detail?: string;
  }[];
}

export interface ImageTest {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageTest';
  /** What was tested: that of the build. */
  contentSha256: string;
  /** Every way that was tried, and at least one was. */
  isPassed: boolean;
  boots: BootTest[];
}

/** One more way of the same build; an earlier result of the same way, or of other bytes, is gone. */
export function withBoot(before: ImageTest | undefined, build: Bytes, boot: BootTest): ImageTest {
  const { contentSha256 } = build;
  const others = (before && ofBuild(before, build)?.boots) ?? [];
  const boots = [...others.filter(({ way }) => way !== boot.way), boot].sort((a, b) => (a.way < b.way ? -1 : 1));
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageTest',
    contentSha256,
    isPassed: boots.every(({ isPassed }) => isPassed),
    boots,
  };
}

type Bytes = Pick<BuildRecord, 'contentSha256' | 'files'>;

/** Of these very bytes, and booted as they will be: a disk whose boot loader never ran is not known to boot by it. */
export function hasPassed(test: ImageTest | undefined, build: Bytes, way: Way): boolean {
  if (test?.contentSha256 !== build.contentSha256) return false;
  // Looked at again, boot by boot: the summary is a word in a file.
  const isGood = (boot: BootTest) => boot.isPassed && boot.checks.every((check) => check.isPassed) && isOf(boot, build);
  return test.boots.some((boot) => boot.way === way) && test.boots.every(isGood);
}

/** Content says what a disk was made of; this, whether it is the disk that was booted. */
export function isOf({ files }: Pick<BootTest, 'files'>, build: Pick<Bytes, 'files'>): boolean {
  const names = Object.keys(files);
  return names.length > 0 && names.every((name) => files[name] === build.files[name]?.sha256);
}

/** What of a test still holds for a build of the same content: boots of the very files that it has. */
export function ofBuild(test: ImageTest, build: Bytes): ImageTest | undefined {
  const boots = test.boots.filter((boot) => isOf(boot, build));
  if (test.contentSha256 !== build.contentSha256 || boots.length === 0) return undefined;
  return { ...test, isPassed: boots.every(({ isPassed }) => isPassed), boots };
}

/** Undefined where there is none, or none that can be read: then nobody has tested it. */
export async function readTest(folder: string): Promise<ImageTest | undefined> {
  try {
    return schema.parse(JSON.parse(await readSmall(join(folder, TEST_RECORD))));
  } catch {
    return undefined;
  }
}

export function writeTest(folder: string, test: ImageTest): void {
  try {
    writeFileAtomic(join(folder, TEST_RECORD), `${JSON.stringify(test, null, 2)}\n`, 0o644);
  } catch (cause) {
    throw new UserError(`the result cannot be written to ${folder} (${(cause as NodeJS.ErrnoException).code})`, {
      code: 'image/test-not-written',
      kept: 'The build is as it was.',
      next: 'see that there is room and that you may write there, then run the same command again',
      exitCode: 1,
      cause,
    });
  }
}

const schema: z.ZodType<ImageTest> = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageTest'),
  contentSha256: z.string(),
  isPassed: z.boolean(),
  boots: z.array(
    z.object({
      way: z.enum(['kernel', 'firmware']),
      // Earlier ones did not say: such a boot is nobody's.
      files: z.record(z.string(), z.string()).default({}),
      isPassed: z.boolean(),
      checks: z.array(z.object({ name: z.string(), isPassed: z.boolean(), detail: z.string() })),
      phases: z.array(z.object({ name: z.string(), tookMs: z.number() })),
      readyMs: z.number().exactOptional(),
      budget: z.array(
        z.object({
          path: z.string(),
          limitMs: z.number(),
          actualMs: z.number().exactOptional(),
          verdict: z.enum(['ok', 'exceeded', 'unknown']),
          detail: z.string().exactOptional(),
        }),
      ),
    }),
  ),
});
