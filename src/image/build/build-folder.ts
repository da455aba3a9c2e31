// image/build/build-folder.ts: what is in the folder of a build, and is it unchanged?

import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { sumOf } from '../../host/file-sum.ts';
import { imageVersionLabel } from '../publish/names.ts';
import type { BuildRecord } from './contract.ts';

export const BUILD_RECORD = 'build.json';
/** Larger than any file that any version of this program writes. */
const MAX_BYTES = 64 << 20;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a sha256');
const schema = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageBuild'),
  // The same format as in a lock.
  name: z.string().regex(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/),
  version: z.string(),
  kubernetes: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9a-z][0-9a-z.-]{0,30})?$/),
  architecture: z.string(),
  contentSha256: sha256,
  base: z.object({ origin: z.string(), date: z.string().regex(/^\d+\.\d+$/), patch: z.int().min(0) }),
  kernelRelease: z.string(),
  kernelArgs: z.string().regex(/^[\x20-\x7e]*$/, 'is not one line of plain text'),
  root: z.string().regex(/^PARTUUID=[0-9a-f-]{36}$/),
  contentBytes: z.number(),
  diskBytes: z.number(),
  // A plain file name, so that a record cannot point outside its folder.
  files: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/), z.object({ sha256, bytes: z.number() })),
}) satisfies z.ZodType<BuildRecord>;

export async function readBuild(folder: string): Promise<BuildRecord> {
  const text = await readSmall(join(folder, BUILD_RECORD)).catch((cause) => {
    if (!existsSync(folder)) throw noBuild(folder, 'the folder does not exist', cause);
    throw noBuild(folder, `cannot read ${BUILD_RECORD}: ${whyUnreadable(cause)}`, cause);
  });
  const parsed = schema.safeParse(jsonOf(text));
  if (parsed.success) {
    const { version, kubernetes, base } = parsed.data;
    if (version === imageVersionLabel(kubernetes, base)) return parsed.data;
    throw noBuild(
      folder,
      `${BUILD_RECORD} is inconsistent: its version is ${version}, expected ${imageVersionLabel(kubernetes, base)}`,
    );
  }
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`);
  throw noBuild(folder, `${BUILD_RECORD} is not a valid build record (${problems.join('; ')})`);
}

/** Verifies every byte of the given files, by default of all. Throws if a file changed. */
export async function verifyBuild(
  folder: string,
  { files }: Pick<BuildRecord, 'files'>,
  options: CallOptions & { only?: readonly string[] } = {},
): Promise<void> {
  for (const name of options.only ?? Object.keys(files)) {
    const built = files[name];
    if (!built) throw noBuild(folder, `the build has no ${name}`);
    options.onWaiting?.(`the checksum of ${name}`);
    const { sha256: now, bytes } = await sumOf(join(folder, name), options.signal).catch((cause) => {
      options.signal?.throwIfAborted();
      throw changed(folder, name, `cannot be read: ${whyUnreadable(cause)}`, cause);
    });
    if (now !== built.sha256 || bytes !== built.bytes)
      throw changed(
        folder,
        name,
        `has ${bytes} bytes with sha256 ${now}, expected ${built.bytes} bytes with ${built.sha256}`,
      );
  }
}

/** Reads a text file of a build folder. Does not follow links. */
export async function readSmall(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error('it is not a regular file, or too large');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noBuild(folder: string, why: string, cause?: unknown): UserError {
  return new UserError(`${folder} is not a built image: ${why}`, {
    code: 'image/no-build',
    kept: 'Nothing was changed.',
    next: 'name a folder that `headstart image build` created',
    cause,
  });
}

function changed(folder: string, name: string, how: string, cause?: unknown): UserError {
  return new UserError(`${join(folder, name)} changed after the build: it ${how}`, {
    code: 'image/build-damaged',
    kept: 'Nothing was changed.',
    next: 'remove the folder and build it again with `headstart image build`',
    exitCode: 1,
    cause,
  });
}
