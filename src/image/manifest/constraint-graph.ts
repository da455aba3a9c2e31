// image/manifest/constraint-graph.ts: can the constraints of a manifest hold at all? Names that nobody knows, circles, and demands that exclude one another.
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
  const demands = demandsOf(manifest);
  const known = new Set([...GIVEN, ...manifest.components.map(({ name }) => name)]);
  return [
    ...demands
      .filter(({ constraint }) => !known.has(constraint.name))
      .map(({ path, constraint }) => ({
        path,
        message: `there is no component called ${constraint.name}${didYouMean(constraint.name, known)}`,
      })),
    ...circles(demands),
    ...contradictions(demands),
  ];
}

function demandsOf({ components }: Manifest): VersionRequirement[] {
  return components.flatMap(({ name, constraints }, index) =>
    constraints.flatMap((text, which): VersionRequirement[] => {
      const constraint = parseConstraints(text);
      return constraint ? [{ by: name, path: ['components', index, 'constraints', which], constraint }] : [];
    }),
  );
}

/** Which of two is to be settled first has to have an answer, or no update could ever be proposed. Each circle once. */
function circles(demands: readonly VersionRequirement[]): ManifestProblem[] {
  const next = Map.groupBy(demands, ({ by }) => by);
  const done = new Set<string>();
  const problems: ManifestProblem[] = [];
  const walk = (name: string, trail: readonly string[]): void => {
    if (done.has(name)) return;
    for (const { path, constraint } of next.get(name) ?? []) {
      const way = [...trail, name];
      const start = way.indexOf(constraint.name);
      if (start < 0) walk(constraint.name, way);
      else {
        const circle = [...way.slice(start), constraint.name].join(' → ');
        problems.push({ path, message: `the constraints go round in a circle: ${circle}` });
      }
    }
    done.add(name);
  };
  for (const name of next.keys()) walk(name, []);
  return problems;
}

function contradictions(demands: readonly VersionRequirement[]): ManifestProblem[] {
  return [...Map.groupBy(demands, ({ constraint }) => constraint.name)].flatMap(([name, about]) => {
    const bounds = about.flatMap((demand) => demand.constraint.bounds.map((bound) => ({ ...bound, demand })));
    const lower = bounds.filter(({ operator }) => /^(?:>=|>|=)$/.test(operator)).sort((a, b) => order(b, a))[0];
    const upper = bounds.filter(({ operator }) => /^(?:<=|<|=)$/.test(operator)).sort(order)[0];
    if (!lower || !upper || lower === upper || !isEmpty(lower, upper)) return [];
    const said = [...new Set([lower.demand, upper.demand])].map(
      ({ by, constraint }) => `${by} wants ${renderConstraint(constraint)}`,
    );
    return [{ path: upper.demand.path, message: `no version of ${name} can be right: ${said.join(', ')}` }];
  });
}

const plain = ({ version }: Bound) => version.replace(/\.\*$/, '');

function order(a: Bound, b: Bound): number {
  return compareComponentVersions('binary', plain(a), plain(b));
}

/** `= 1.6.*` reaches from 1.6 up to whatever begins with it. */
function isEmpty(lower: Bound, upper: Bound): boolean {
  const reaches = upper.version.endsWith('.*') && `${plain(lower)}.`.startsWith(`${plain(upper)}.`);
  if (reaches) return false;
  const sign = order(lower, upper);
  if (sign !== 0) return sign > 0;
  if (lower.version.endsWith('.*')) return upper.operator === '<';
  return lower.operator === '>' || upper.operator === '<';
}
