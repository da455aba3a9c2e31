// image/manifest/rules/constraints.ts: do the versions satisfy the constraints that the manifest declares?
import { type ComponentVersion, parseConstraints, renderConstraint, satisfies } from '../constraints.ts';
import type { Component } from '../manifest.ts';
import type { CompatibilityRule, RuleSubject, RuleViolation } from './rule.ts';

/** Release numbers of Debian by code name. */
const RELEASES: ReadonlyMap<string, string> = new Map([
  ['bullseye', '11'],
  ['bookworm', '12'],
  ['trixie', '13'],
  ['forky', '14'],
]);

export function ownConstraints(components: readonly Component[]): CompatibilityRule {
  return {
    id: 'manifest/constraints',
    says: 'the constraints that components declare are satisfied',
    source: 'the manifest',
    check: (subject) =>
      components.flatMap(({ name, constraints }) => constraints.flatMap((text) => violation(name, text, subject))),
  };
}

function violation(component: string, text: string, subject: RuleSubject): RuleViolation[] {
  const constraint = parseConstraints(text);
  const seen = constraint && versionOf(constraint.name, subject);
  if (!constraint || !seen || satisfies(seen, constraint)) return [];
  return [{ severity: 'error', component, message: `requires ${renderConstraint(constraint)}, got ${seen.version}` }];
}

function versionOf(name: string, { kubernetes, base, versions }: RuleSubject): ComponentVersion | undefined {
  if (name === 'kubernetes') return { kind: 'binary', version: kubernetes };
  if (name !== 'debian') return versions.get(name);
  const release = RELEASES.get(base.replace(/^debian:/, ''));
  return release === undefined ? undefined : { kind: 'binary', version: release };
}
