// image/manifest/constraints.ts: does a version satisfy `containerd >= 1.6, < 3`? Debian's versions as dpkg compares them, all others as their makers number them.

import { compareComponentVersions } from './compare-versions.ts';
import { compareDebian } from './debian-version.ts';
import type { ComponentKind } from './manifest.ts';

export type Operator = '>=' | '<=' | '>' | '<' | '=' | '!=';

export interface Bound {
  operator: Operator;
  version: string;
}

/** All of the bounds have to hold. */
export interface Constraint {
  /** Of another component, or `kubernetes` or `debian`. */
  name: string;
  bounds: readonly Bound[];
}

/** A version of a component as it is locked or written. */
export interface ComponentVersion {
  kind: ComponentKind;
  version: string;
}

/** Undefined when it is not a constraint. */
export function parseConstraints(text: string): Constraint | undefined {
  const [, name, rest] = /^\s*([a-z0-9][a-z0-9.+-]*)\s*((?:>=|<=|!=|=|>|<).*)$/.exec(text) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const bounds = rest.split(',').map(parseBound);
  return bounds.every((bound) => bound !== undefined) ? { name, bounds } : undefined;
}

function parseBound(text: string): Bound | undefined {
  const [, operator, version] = /^\s*(>=|<=|!=|=|>|<)\s*([0-9][0-9A-Za-z.+~:-]*(?:\.\*)?)\s*$/.exec(text) ?? [];
  if (operator === undefined || version === undefined) return undefined;
  // `< 1.6.*` says nothing that `< 1.6` does not.
  if (version.endsWith('.*') && operator !== '=' && operator !== '!=') return undefined;
  return { operator: operator as Operator, version };
}

export function satisfies(seen: ComponentVersion, { bounds }: Pick<Constraint, 'bounds'>): boolean {
  return bounds.every((bound) => holds(seen, bound));
}

function holds(seen: ComponentVersion, { operator, version }: Bound): boolean {
  if (version.endsWith('.*')) {
    const isBelow = `${comparable(seen, version)}.`.startsWith(version.slice(0, -1));
    return operator === '=' ? isBelow : !isBelow;
  }
  const order = compareBound(seen, version);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
  }
}

function compareBound(seen: ComponentVersion, bound: string): number {
  if (seen.kind === 'deb' && !isUpstream(bound)) return compareDebian(seen.version, bound);
  return compareComponentVersions('binary', comparable(seen, bound), bound);
}

/** What a plain `1.6.20` is held against: of `1:1.6.20~ds1-1+deb12u1`, upstream's part. dpkg would have the repacked one as older. */
function comparable({ kind, version }: ComponentVersion, bound: string): string {
  return kind === 'deb' && isUpstream(bound) ? upstreamOf(version) : version.replace(/^v(?=\d)/, '');
}

function isUpstream(bound: string): boolean {
  return /^\d+(?:\.\d+)*(?:\.\*)?$/.test(bound);
}

/** Without epoch, revision and what says that the sources were repacked. */
export function upstreamOf(debianVersion: string): string {
  return debianVersion
    .replace(/^\d+:/, '')
    .replace(/-[^-]*$/, '')
    .replace(/[+~.](?:ds|dfsg|repack|really)\.?\d*.*$/, '');
}

export function renderConstraint({ name, bounds }: Constraint): string {
  return `${name} ${bounds.map(({ operator, version }) => `${operator} ${version}`).join(', ')}`;
}
