// cli/this-checkout.ts: version and commit of the files that this program runs from.
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
    return undefined; // no checkout, or one that may not be read: then the version has to do
  }
}
