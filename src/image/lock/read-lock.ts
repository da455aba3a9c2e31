// image/lock/read-lock.ts: read and write image.lock.json. A lock is checked here once; other code trusts it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { shellWord } from '../../base/shell-word.ts';
import { whyUnreadable, whyUnwritable } from '../../base/why-unreadable.ts';
import { isFull, isMissing } from '../../host/json-file.ts';
import { checkValue } from '../../schema/check.ts';
import { integer, kubernetesVersion, line, matching } from '../../schema/formats.ts';
import { isObject, type Json } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { isPlainPath } from '../fetch/mirrors.ts';
import * as i from '../manifest/formats.ts';
import type { ImageLock } from './lock.ts';

const install = z.strictObject({
  to: z.union([i.installPath(), i.imageReference()]),
  only: z.optional(z.array(i.inArchive())),
  strip: z.optional(integer(0, 16)),
});

const artifact = z.strictObject({
  component: i.componentNameFormat(),
  kind: z.enum(['deb', 'archive', 'binary', 'oci-image']),
  version: line(128),
  kubernetes: z.optional(kubernetesVersion()),
  origin: i.originFormat(),
  path: z.string().check(z.refine(isPlainPath, 'is not a path below its origin')),
  sha256: i.sha256Format(),
  bytes: integer(0, 2 ** 40),
  licence: line(200),
  install: z.optional(install),
  isAsked: z.optional(z.boolean()),
});

const schema = z.strictObject({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageLock'),
  name: i.imageNameFormat(),
  architecture: z.enum(['amd64', 'arm64']),
  manifestSha256: i.sha256Format(),
  base: z.strictObject({
    origin: i.originFormat(),
    date: matching(/^\d{4}\.[1-9]\d{2,3}$/, 'is not a day such as 2026.1116', 9),
    patch: integer(0, 1_000_000),
    indices: z.array(z.strictObject({ suite: line(64), date: line(40), sha256: i.sha256Format() })),
  }),
  kubernetes: z.array(kubernetesVersion()).check(z.minLength(1)),
  artifacts: z.array(artifact),
  files: z.array(
    z.strictObject({
      component: i.componentNameFormat(),
      to: i.installPath(),
      mode: integer(0, 0o7777),
      sha256: i.sha256Format(),
      content: z.string(),
      licence: line(200),
    }),
  ),
  disk: z.strictObject({
    budgetMb: integer(1, 2_000_000),
    warnPercent: integer(1, 100),
    sizeMb: integer(1, 2_000_000),
  }),
});

/** `next` is the next command in the error when the file does not exist. */
export function readLock(file: string, next = `headstart image lock -o ${shellWord(file)}`): ImageLock {
  const lock = readLockIfExists(file);
  if (lock) return lock;
  throw new UserError(`the lock ${file} does not exist`, { code: 'image/no-lock', next });
}

/** Undefined if the file does not exist. */
export function readLockIfExists(file: string): ImageLock | undefined {
  try {
    return parseLock(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (isMissing(error)) return undefined;
    throw badLock(`${file} cannot be read: ${whyUnreadable(error)}`, error, NAME_A_LOCK);
  }
}

export function parseLock(text: string, name: string): ImageLock {
  const json = jsonOf(text, name);
  if (!isObject(json) || json.kind !== 'ImageLock') throw badLock(`${name} is not a lock`, undefined, NAME_A_LOCK);
  const { value, problems, missing, unknown } = checkValue(schema, json);
  // JSON never has a present but undefined field, so the parsed value matches the type's optional fields.
  const lock = value !== undefined && unknown.length === 0 ? (value as ImageLock) : undefined;
  const wrong = lock ? contradictions(lock) : [...problems, ...missing, ...unknown].map(renderProblem);
  if (lock && wrong.length === 0) return lock;
  const all = wrong.map((problem) => `         ${problem}`);
  throw badLock(`${name} is not a valid lock:\n${all.slice(0, 30).join('\n')}`);
}

/** `image lock` never writes duplicates. A diff, and so a hotfix, would compare only one of the two entries. */
function contradictions({ artifacts, files }: ImageLock): string[] {
  const things = [
    ...artifacts.map(({ kind, component, kubernetes }) => [kind, component, kubernetes ?? 'every version'].join(' ')),
    ...files.flatMap(({ component, to }) => [`file ${component}`, `the file ${to}`]),
  ];
  return [
    ...things.filter((thing, index) => things.indexOf(thing) < index).map((thing) => `${thing}: is listed twice`),
    ...files
      .filter(({ content, sha256 }) => createHash('sha256').update(content).digest('hex') !== sha256)
      .map(({ component }) => `file ${component}: its content does not match its sha256`),
  ];
}

/** Sorts the keys, so that equal locks have equal text. */
export function renderLock(lock: ImageLock): string {
  return `${JSON.stringify(sorted(JSON.parse(JSON.stringify(lock)) as Json), null, 2)}\n`;
}

/** Atomic: a crash leaves the old lock or the new one. */
export function writeLock(file: string, lock: ImageLock): void {
  try {
    writeFileAtomic(file, renderLock(lock), 0o644);
  } catch (cause) {
    throw new UserError(`the lock ${file} could not be written: ${whyUnwritable(cause)}`, {
      code: isFull(cause) ? 'image/no-space' : 'image/lock-not-written',
      kept: 'The previous file is unchanged.',
      next: 'make sure that its folder exists, is writable and has free space, then run the same command again',
      exitCode: 1,
      cause,
    });
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function jsonOf(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw badLock(`${name} is ${text.trim() === '' ? 'empty' : 'not JSON'}`, cause);
  }
}

const RESTORE_LOCK = 'restore it from version control, or remove it and run `headstart image lock`';
const NAME_A_LOCK = 'name a file that `headstart image lock` wrote';

function badLock(message: string, cause?: unknown, next = RESTORE_LOCK): UserError {
  return new UserError(message, {
    code: 'image/bad-lock',
    kept: 'Nothing was changed.',
    next,
    cause,
  });
}
