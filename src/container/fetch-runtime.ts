// container/fetch-runtime.ts: where is the pinned Node.js of an architecture? Installed as a dependency, or its npm package, checked by the lock.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseTarGzip } from 'nanotar';
import { ensureCacheFolder } from '../base/cache-folder.ts';
import type { RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';

export interface NodeRuntime {
  node: Uint8Array;
  licence: Uint8Array;
  locked: LockedPackage;
}

export interface LockedPackage {
  name: string;
  version: string;
  license?: string;
  /** As npm writes it: `sha512-…`. */
  integrity: string;
}

interface Deps {
  run: RunCommand;
  /** Keeps packages for later builds. */
  cache: string;
}

const FETCH_TIMEOUT_MS = 600_000;

/** npm installs only the package of this machine's architecture; the others are downloaded once, into the cache. */
export async function fetchRuntime(name: string, root: string, deps: Deps): Promise<NodeRuntime> {
  const locked = lockedPackage(name, readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = join(root, 'node_modules', name);
  if (versionIn(installed) === locked.version) {
    const read = (path: string) => readFileSync(join(installed, path));
    return { node: read('bin/node'), licence: read('LICENSE'), locked };
  }
  const files = await parseTarGzip(await fetchPackage(locked, deps));
  const read = (path: string): Uint8Array => {
    const data = files.find((file) => file.name === `package/${path}`)?.data;
    if (!data) throw new Error(`${name}@${locked.version} does not contain ${path}`);
    return data;
  };
  return { node: read('bin/node'), licence: read('LICENSE'), locked };
}

/** Throws if the lock does not name the package. */
function lockedPackage(name: string, lock: string): LockedPackage {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Partial<LockedPackage>> };
  const { version, license, integrity } = packages[`node_modules/${name}`] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json does not pin ${name}`);
  return { name, version, integrity, ...(license && { license }) };
}

/** Its archive, whose bytes are those that the lock names. */
async function fetchPackage({ name, version, integrity }: LockedPackage, { run, cache }: Deps): Promise<Uint8Array> {
  const cached = join(cache, `${name}-${version}.tgz`);
  if (existsSync(cached)) {
    const bytes = readFileSync(cached);
    if (integrityOf(bytes) === integrity) return bytes;
  }
  ensureCacheFolder(cache);
  const folder = mkdtempSync(join(cache, '.fetch-'));
  try {
    const argv = ['npm', 'pack', `${name}@${version}`, '--pack-destination', folder, '--silent'] as const;
    const packed = await run(argv, { timeoutMs: FETCH_TIMEOUT_MS });
    const [archive] = readdirSync(folder);
    if (packed.code !== 0 || archive === undefined) {
      throw new UserError(`npm could not download ${name}@${version}: ${packed.stderr.trim() || packed.outcome}`, {
        code: 'container/no-runtime',
        next: "check npm's registry and proxy settings, then try again",
        exitCode: 1,
      });
    }
    const bytes = readFileSync(join(folder, archive));
    if (integrityOf(bytes) !== integrity) {
      throw new UserError(`${name}@${version} has ${integrityOf(bytes)}, but package-lock.json pins ${integrity}`, {
        code: 'container/other-runtime',
        next: 'check which registry npm uses; nothing was written',
        exitCode: 1,
      });
    }
    writeFileAtomic(cached, bytes, 0o644);
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function versionIn(folder: string): string | undefined {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string }).version;
}
