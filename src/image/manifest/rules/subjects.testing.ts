// image/manifest/rules/subjects.testing.ts: an image for a rule to check, built from the few facts that a test needs.
import type { ComponentKind } from '../manifest.ts';
import type { CompatibilityRule, RuleSubject } from './rule.ts';

export interface Case {
  kubernetes?: string;
  base?: string;
  versions?: Record<string, string | [ComponentKind, string]>;
  files?: Record<string, string>;
  image?: string;
  places?: string[];
}

export const subjectOf = ({
  kubernetes = '1.35.8',
  base = 'debian:bookworm',
  versions = {},
  files = {},
  image,
  places = [],
}: Case): RuleSubject => ({
  kubernetes,
  base,
  versions: new Map(
    Object.entries(versions).map(([name, seen]) => [
      name,
      typeof seen === 'string' ? { kind: 'binary', version: seen } : { kind: seen[0], version: seen[1] },
    ]),
  ),
  files: Object.entries(files).map(([to, content]) => ({
    name: 'a-file',
    kind: 'file',
    licence: 'MIT',
    reason: 'x',
    update: 'patch',
    constraints: [],
    install: { to, mode: 0o644 },
    content,
  })),
  components: new Set(Object.keys(versions)),
  places: new Set(places),
  images: new Map(image === undefined ? [] : [['pause', image]]),
});

/** The severities of a rule's violations. */
export const found = (rule: CompatibilityRule, one: Case): string[] =>
  rule.check(subjectOf(one)).map(({ severity }) => severity);
