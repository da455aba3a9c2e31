// host/debian/packages.ts: which packages, in which versions, and what is that list's hash?
import { createHash } from 'node:crypto';

/** Version by name. */
export type Packages = ReadonlyMap<string, string>;

/** `Inst libc6 (2.36-9 Debian:12/stable [amd64])`, as apt prints what it would do. */
export function parseInstallPlan(text: string): Packages {
  const lines = [...text.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) /gm)];
  return new Map(lines.map(([, name, version]) => [name!, version!]));
}

export function hashPackages(packages: Packages): string {
  // apt goes by dependencies, which may be met in another order the next time.
  const lines = [...packages].map(([name, version]) => `${name}=${version}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
