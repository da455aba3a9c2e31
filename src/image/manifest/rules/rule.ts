// image/manifest/rules/rule.ts: what is a compatibility rule? A fact about two components, its public source, and a check for violations.
import type { ComponentVersion } from '../constraints.ts';
import type { FileComponent, Origin } from '../manifest.ts';

/** What the manifest, and the lock if there is one, say about one image. */
export interface RuleSubject {
  /** `1.35.8`. */
  kubernetes: string;
  base: Origin;
  /** By component. Without a lock, packages with a wildcard version are missing. */
  versions: ReadonlyMap<string, ComponentVersion>;
  files: readonly FileComponent[];
  /** The names of all components, with or without a known version. */
  components: ReadonlySet<string>;
  /** The paths where programs and files are installed. */
  places: ReadonlySet<string>;
  /** By component: the name of the container image on the node. */
  images: ReadonlyMap<string, string>;
}

export interface RuleFinding {
  rule: string;
  severity: 'error' | 'warning';
  component: string;
  kubernetes: string;
  message: string;
  source: string;
}

export type RuleViolation = Pick<RuleFinding, 'severity' | 'component' | 'message'>;

export interface CompatibilityRule {
  /** Users see the id in findings: do not rename it. */
  id: string;
  says: string;
  /** A public document. */
  source: string;
  check(subject: RuleSubject): RuleViolation[];
}

/** 35 for `1.35.8`; NaN for other majors, which no rule covers. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)\./.exec(version)?.[1] ?? Number.NaN);
}
