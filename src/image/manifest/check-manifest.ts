// image/manifest/check-manifest.ts: is a manifest consistent? Checks names, versions for every image, install paths and constraints.

import { constraintProblems } from './constraint-graph.ts';
import { parseConstraints } from './constraints.ts';
import type { FetchedComponent, Manifest } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';

export function checkManifest(manifest: Manifest): ManifestProblem[] {
  const { components } = manifest;
  return [
    ...twice(manifest.kubernetes).map((index) => at(['kubernetes', index], 'is listed twice')),
    ...twice(manifest.architectures).map((index) => at(['architectures', index], 'is listed twice')),
    ...twice(components.map(({ name }) => name)).map((index) =>
      at(['components', index, 'name'], `another component is also called ${components[index]!.name}`),
    ),
    ...(manifest.disk.budgetMb > manifest.disk.sizeMb
      ? [at(['disk', 'budgetMb'], `${manifest.disk.budgetMb} is more than sizeMb, ${manifest.disk.sizeMb}`)]
      : []),
    ...components.flatMap((component, index) =>
      component.kind === 'deb' || component.kind === 'file' ? [] : versionProblems(component, index, manifest),
    ),
    ...frozenProblems(manifest),
    ...placeProblems(manifest),
    ...syntaxProblems(manifest),
    ...constraintProblems(manifest),
  ];
}

/** Every image needs exactly one version, for each of its architectures. */
function versionProblems({ versions }: FetchedComponent, index: number, manifest: Manifest): ManifestProblem[] {
  const path = ['components', index, 'versions'] as const;
  const problems: ManifestProblem[] = versions.flatMap(({ kubernetes, sources }, which) => [
    ...(kubernetes !== undefined && !manifest.kubernetes.includes(kubernetes)
      ? [
          at(
            [...path, which, 'kubernetes'],
            `${kubernetes} is not in the kubernetes list: ${manifest.kubernetes.join(', ')}`,
          ),
        ]
      : []),
    ...manifest.architectures
      .filter((architecture) => !sources[architecture])
      .map((architecture) => at([...path, which, 'sources'], `has no source for ${architecture}`)),
  ]);
  const general = versions.filter(({ kubernetes }) => kubernetes === undefined).length;
  if (general > 1) problems.push(at([...path], `has ${general} versions that apply to every image`));
  for (const kubernetes of manifest.kubernetes) {
    const own = versions.filter((each) => each.kubernetes === kubernetes).length;
    if (own > 1) problems.push(at([...path], `has ${own} versions for ${kubernetes}`));
    else if (own + general === 0) problems.push(at([...path], `has no version for ${kubernetes}`));
  }
  return problems;
}

/** A lock always takes the newest version that the manifest allows, so a wildcard version cannot be frozen. */
function frozenProblems({ components }: Manifest): ManifestProblem[] {
  return components.flatMap((component, index) =>
    component.kind === 'deb' && component.update === 'frozen' && component.version.endsWith('*')
      ? [at(['components', index, 'update'], `frozen needs an exact version, got ${component.version}`)]
      : [],
  );
}

function placeProblems({ components }: Manifest): ManifestProblem[] {
  const taken = new Map<string, string>();
  return components.flatMap((component, index) => {
    // Archives may share a folder.
    if (component.kind === 'deb' || component.kind === 'archive') return [];
    const { to } = component.install;
    const other = taken.get(to);
    taken.set(to, component.name);
    return other === undefined ? [] : [at(['components', index, 'install', 'to'], `${other} is installed there too`)];
  });
}

function syntaxProblems({ components }: Manifest): ManifestProblem[] {
  return components.flatMap(({ constraints }, index) =>
    constraints.flatMap((text, which) =>
      parseConstraints(text) === undefined
        ? [
            at(
              ['components', index, 'constraints', which],
              `'${text}' is not a constraint such as containerd >= 1.6, < 3`,
            ),
          ]
        : [],
    ),
  );
}

function twice(texts: readonly string[]): number[] {
  return texts.flatMap((text, index) => (texts.indexOf(text) < index ? [index] : []));
}

function at(path: (string | number)[], message: string): ManifestProblem {
  return { path, message };
}
