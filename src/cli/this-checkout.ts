// cli/this-checkout.ts: the version of this program, and the commit if it runs from a checkout.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ownText } from '../base/own-files/own-files.ts';
import { commitOf } from './commit.ts';
import type { VersionInfo } from './version.ts';

export function versionOfThisCheckout(): VersionInfo {
  const { version } = JSON.parse(ownText(new URL('../../package.json', import.meta.url))) as { version: string };
  const root = new URL('../../', import.meta.url);
  const commit = root.protocol === 'file:' ? commitOf(fileURLToPath(root), readText) : undefined;
  return { version, ...(commit !== undefined && { commit }) };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not a checkout, or not readable: then only the version is known
  }
}
