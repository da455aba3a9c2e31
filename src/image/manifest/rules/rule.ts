// image/manifest/rules/rule.ts: what is a compatibility rule? Something that is known of two components together, by whom, and how to see that it is broken.
import type { ComponentVersion } from '../constraints.ts';
import type { FileComponent, Origin } from '../manifest.ts';

/** One image: what is known of it from the manifest, and from the lock where there is one. */
export interface RuleSubject {
  /** `1.35.8`. */
  kubernetes: string;
  base: Origin;
  /** By component; without a lock, packages whose version is open are not here. */
  versions: ReadonlyMap<string, ComponentVersion>;
  files: readonly FileComponent[];
  /** Names of all, whatever their version. */
  components: ReadonlySet<string>;
  /** Where programs and files are installed. */
  places: ReadonlySet<string>;
  /** By component: the name a container image is to have. */
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
  /** Never renamed. */
  id: string;
  says: string;
  /** A public document. */
  source: string;
  check(subject: RuleSubject): RuleViolation[];
}

/** 35 of `1.35.8`; Kubernetes 2 is not known to any rule. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)\./.exec(version)?.[1] ?? Number.NaN);
}
