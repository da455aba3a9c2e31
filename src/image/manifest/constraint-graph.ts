// image/manifest/constraint-graph.ts: can a manifest's constraints be satisfied? Finds unknown names, cycles and contradictions.
import { didYouMean } from '../../base/nearest-names.ts';
import { compareComponentVersions } from './compare-versions.ts';
import { type Bound, type Constraint, parseConstraints, renderConstraint } from './constraints.ts';
import type { Manifest } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';

/** What a constraint may name besides components. */
export const GIVEN = ['kubernetes', 'debian'] as const;

interface VersionRequirement {
  by: string;
  path: (string | number)[];
  constraint: Constraint;
}

export function constraintProblems(manifest: Manifest): ManifestProblem[] {
  const requirements = requirementsOf(manifest);
  const known = new Set([...GIVEN, ...manifest.components.map(({ name }) => name)]);
  return [
    ...requirements
      .filter(({ constraint }) => !known.has(constraint.name))
      .map(({ path, constraint }) => ({
        path,
        message: `there is no component called ${constraint.name}${didYouMean(constraint.name, known)}`,
      })),
    ...cycles(requirements),
    ...contradictions(requirements),
  ];
}

function requirementsOf({ components }: Manifest): VersionRequirement[] {
  return components.flatMap(({ name, constraints }, index) =>
    constraints.flatMap((text, which): VersionRequirement[] => {
      const constraint = parseConstraints(text);
      return constraint ? [{ by: name, path: ['components', index, 'constraints', which], constraint }] : [];
    }),
  );
}

/** In a cycle no component could be updated first, so no update could be proposed. Reports each cycle once. */
function cycles(requirements: readonly VersionRequirement[]): ManifestProblem[] {
  const next = Map.groupBy(requirements, ({ by }) => by);
  const done = new Set<string>();
  const problems: ManifestProblem[] = [];
  const walk = (name: string, trail: readonly string[]): void => {
    if (done.has(name)) return;
    for (const { path, constraint } of next.get(name) ?? []) {
      const route = [...trail, name];
      const start = route.indexOf(constraint.name);
      if (start < 0) walk(constraint.name, route);
      else {
        const cycle = [...route.slice(start), constraint.name].join(' → ');
        problems.push({ path, message: `the constraints form a cycle: ${cycle}` });
      }
    }
    done.add(name);
  };
  for (const name of next.keys()) walk(name, []);
  return problems;
}

function contradictions(requirements: readonly VersionRequirement[]): ManifestProblem[] {
  return [...Map.groupBy(requirements, ({ constraint }) => constraint.name)].flatMap(([name, about]) => {
    const bounds = about.flatMap((requirement) =>
      requirement.constraint.bounds.map((bound) => ({ ...bound, requirement })),
    );
    const lower = bounds.filter(({ operator }) => /^(?:>=|>|=)$/.test(operator)).sort((a, b) => order(b, a))[0];
    const upper = bounds.filter(({ operator }) => /^(?:<=|<|=)$/.test(operator)).sort(order)[0];
    if (!lower || !upper || lower === upper || !isEmpty(lower, upper)) return [];
    const reasons = [...new Set([lower.requirement, upper.requirement])].map(
      ({ by, constraint }) => `${by} requires ${renderConstraint(constraint)}`,
    );
    return [
      {
        path: upper.requirement.path,
        message: `no version of ${name} satisfies all constraints: ${reasons.join(', ')}`,
      },
    ];
  });
}

const plain = ({ version }: Bound) => version.replace(/\.\*$/, '');

function order(a: Bound, b: Bound): number {
  return compareComponentVersions('binary', plain(a), plain(b));
}

/** `= 1.6.*` covers every version that begins with 1.6. */
function isEmpty(lower: Bound, upper: Bound): boolean {
  const reaches = upper.version.endsWith('.*') && `${plain(lower)}.`.startsWith(`${plain(upper)}.`);
  if (reaches) return false;
  const sign = order(lower, upper);
  if (sign !== 0) return sign > 0;
  if (lower.version.endsWith('.*')) return upper.operator === '<';
  return lower.operator === '>' || upper.operator === '<';
}
