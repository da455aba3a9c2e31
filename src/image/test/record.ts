// image/test/record.ts: what did a test of an image find? `test.json` beside the build, which publishing asks for.
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { readSmall } from '../build/build-folder.ts';
import type { ImageTest } from './verdict.ts';

export const TEST_RECORD = 'test.json';

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
