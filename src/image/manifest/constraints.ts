// image/manifest/constraints.ts: does a version satisfy `containerd >= 1.6, < 3`? Debian versions compare as in dpkg, all others as in semver.

import { compareComponentVersions } from './compare-versions.ts';
import { compareDebian } from './debian-version.ts';
import type { ComponentKind } from './manifest.ts';

export type Operator = '>=' | '<=' | '>' | '<' | '=' | '!=';

export interface Bound {
  operator: Operator;
  version: string;
}

/** A version must satisfy all bounds. */
export interface Constraint {
  /** A component, `kubernetes` or `debian`. */
  name: string;
  bounds: readonly Bound[];
}

export interface ComponentVersion {
  kind: ComponentKind;
  version: string;
}

/** Undefined if the text is not a constraint. */
export function parseConstraints(text: string): Constraint | undefined {
  const [, name, rest] = /^\s*([a-z0-9][a-z0-9.+-]*)\s*((?:>=|<=|!=|=|>|<).*)$/.exec(text) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const bounds = rest.split(',').map(parseBound);
  return bounds.every((bound) => bound !== undefined) ? { name, bounds } : undefined;
}

function parseBound(text: string): Bound | undefined {
  const [, operator, version] = /^\s*(>=|<=|!=|=|>|<)\s*([0-9][0-9A-Za-z.+~:-]*(?:\.\*)?)\s*$/.exec(text) ?? [];
  if (operator === undefined || version === undefined) return undefined;
  // `< 1.6.*` means the same as `< 1.6`.
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

/** A plain `1.6.20` is compared with the upstream part of `1:1.6.20~ds1-1+deb12u1`: dpkg sorts the repacked version lower. */
function comparable({ kind, version }: ComponentVersion, bound: string): string {
  return kind === 'deb' && isUpstream(bound) ? upstreamOf(version) : version.replace(/^v(?=\d)/, '');
}

function isUpstream(bound: string): boolean {
  return /^\d+(?:\.\d+)*(?:\.\*)?$/.test(bound);
}

/** Removes epoch, revision and the suffix of repacked sources. */
export function upstreamOf(debianVersion: string): string {
  return debianVersion
    .replace(/^\d+:/, '')
    .replace(/-[^-]*$/, '')
    .replace(/[+~.](?:ds|dfsg|repack|really)\.?\d*.*$/, '');
}

export function renderConstraint({ name, bounds }: Constraint): string {
  return `${name} ${bounds.map(({ operator, version }) => `${operator} ${version}`).join(', ')}`;
}
