// cli/this-checkout.ts: the version and the commit of this checkout.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commitOf } from './commit.ts';
import type { VersionInfo } from './version.ts';

export function versionOfThisCheckout(): VersionInfo {
  const manifest = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const commit = commitOf(fileURLToPath(new URL('../../', import.meta.url)), readText);
  return { version, ...(commit !== undefined && { commit }) };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not a checkout, or not readable: then only the version is known
  }
}
