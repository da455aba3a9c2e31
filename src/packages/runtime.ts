// packages/runtime.ts: where is the pinned Node.js of a platform? In node_modules for this machine; for another one it is fetched as
// package-lock.json pins it, and kept.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import type { RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { type BundledPackage, hexOf } from './contents.ts';
import { npmEnv } from './npm/pack.ts';

export interface PinnedNode {
  node: Buffer;
  licence: string;
  pinned: BundledPackage;
}

export interface LockedPackage {
  version: string;
  license?: string;
  /** `sha512-BASE64` */
  integrity: string;
}

const FETCH_MS = 600_000;

/** `cache` is a folder that builds share. */
export async function readRuntime(
  name: string,
  { root, cache, run }: { root: string; cache: string; run: RunCommand },
): Promise<PinnedNode> {
  const locked = lockedPackage(readFileSync(join(root, 'package-lock.json'), 'utf8'), name);
  const { version, license: licence, integrity } = locked;
  const pinned = { name, version, licence, sha512: hexOf(integrity) };
  const installed = join(root, 'node_modules', name);
  if (versionIn(installed) === version) {
    const file = (path: string) => readFileSync(join(installed, path));
    return { node: file('bin/node'), licence: file('LICENSE').toString(), pinned };
  }
  const archive = join(cache, `${name}-${locked.version}.tgz`);
  if (!existsSync(archive)) await fetchPackage(name, locked, archive, { cache, run });
  const bytes = readFileSync(archive);
  requireIntegrity(bytes, name, locked);
  return { ...runtimeIn(bytes), pinned };
}

function versionIn(folder: string): string | undefined {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version : undefined;
}

export function lockedPackage(lock: string, name: string): LockedPackage {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Partial<LockedPackage>> };
  const { version, license, integrity } = packages[`node_modules/${name}`] ?? {};
  if (version !== undefined && integrity !== undefined) return { version, integrity, ...(license && { license }) };
  throw new Error(`package-lock.json does not pin ${name}`);
}

export function requireIntegrity(bytes: Uint8Array, name: string, { version, integrity }: LockedPackage): void {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found === integrity) return;
  throw new UserError(`${name}@${version} has the hash ${found}; package-lock.json pins ${integrity}`, {
    code: 'packages/wrong-hash',
    kept: 'Nothing was built from it.',
    next: 'check which registry npm uses, then try again',
    exitCode: 1,
  });
}

async function fetchPackage(
  name: string,
  locked: LockedPackage,
  to: string,
  { cache, run }: { cache: string; run: RunCommand },
): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.fetching-'));
  try {
    const argv = ['npm', 'pack', `${name}@${locked.version}`, '--pack-destination', work, '--ignore-scripts'] as const;
    const ran = await run([...argv, '--prefer-offline', '--loglevel=error'], {
      timeoutMs: FETCH_MS,
      env: npmEnv(process.env),
    });
    const archive = readdirSync(work).find((file) => file.endsWith('.tgz'));
    if (ran.code !== 0 || archive === undefined) {
      throw new UserError(`npm could not fetch ${name}@${locked.version} (${ran.outcome}): ${ran.stderr.trim()}`, {
        code: 'packages/cannot-fetch',
        kept: 'No package was written.',
        next: 'check the network or the npm registry setting, then try again; it is fetched once',
        exitCode: 1,
      });
    }
    requireIntegrity(readFileSync(join(work, archive)), name, locked);
    renameSync(join(work, archive), to);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runtimeIn(archive: Uint8Array): Pick<PinnedNode, 'node' | 'licence'> {
  const entries = parseTar(new Uint8Array(gunzipSync(archive)));
  const file = (path: string) => {
    const data = entries.find(({ name }) => name === `package/${path}`)?.data;
    if (data === undefined) throw new Error(`the package of Node.js has no ${path}`);
    return Buffer.from(data);
  };
  return { node: file('bin/node'), licence: file('LICENSE').toString() };
}
