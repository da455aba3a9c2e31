// image/test/record.ts: what was the result of an image test? Stored as `test.json` in the build folder, where `image publish` reads it.
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { readSmall } from '../build/build-folder.ts';
import type { ImageTest } from './verdict.ts';

export const TEST_RECORD = 'test.json';

/** Undefined if the file is missing or invalid: the build then counts as untested. */
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
    throw new UserError(`cannot write the test result to ${folder} (${(cause as NodeJS.ErrnoException).code})`, {
      code: 'image/test-not-written',
      kept: 'The build is unchanged.',
      next: 'make sure that the folder is writable and has free space, then run the same command again',
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
      // Older records lack the files; such a boot matches no build.
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
