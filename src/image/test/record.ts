// image/test/record.ts: what did a test of an image find? `test.json` beside the build, which publishing asks for.
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { readSmall } from '../build-folder.ts';

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

/** One more way of the same content; an earlier result of the same way, or of other content, is gone. */
export function withBoot(before: ImageTest | undefined, contentSha256: string, boot: BootTest): ImageTest {
  const others = before?.contentSha256 === contentSha256 ? before.boots.filter(({ way }) => way !== boot.way) : [];
  const boots = [...others, boot].sort((a, b) => (a.way < b.way ? -1 : 1));
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageTest',
    contentSha256,
    isPassed: boots.every(({ isPassed }) => isPassed),
    boots,
  };
}

/** Of this content, and booted as it will be: a disk whose boot loader never ran is not known to boot by it. */
export function hasPassed(test: ImageTest | undefined, contentSha256: string, way: Way): boolean {
  if (test?.contentSha256 !== contentSha256) return false;
  // Looked at again, boot by boot: the summary is a word in a file.
  const isGood = ({ isPassed, checks }: BootTest) => isPassed && checks.every((check) => check.isPassed);
  return test.boots.some((boot) => boot.way === way) && test.boots.every(isGood);
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
