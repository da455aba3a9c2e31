// host/debian/packages.ts: parse and hash a list of packages and versions.
import { createHash } from 'node:crypto';

/** Version by name. */
export type Packages = ReadonlyMap<string, string>;

/** Parses lines of `apt-get --simulate`: `Inst libc6 (2.36-9 Debian:12/stable [amd64])`. */
export function parseInstallPlan(text: string): Packages {
  const lines = [...text.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) /gm)];
  return new Map(lines.map(([, name, version]) => [name!, version!]));
}

export function hashPackages(packages: Packages): string {
  // apt's order depends on dependency resolution and may differ next time.
  const lines = [...packages].map(([name, version]) => `${name}=${version}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
