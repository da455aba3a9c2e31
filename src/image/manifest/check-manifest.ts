// image/manifest/check-manifest.ts: does what a manifest says fit together? Names, versions for every image, places, constraints.

import { constraintProblems } from './constraint-graph.ts';
import { parseConstraints } from './constraints.ts';
import type { FetchedComponent, Manifest } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';

export function checkManifest(manifest: Manifest): ManifestProblem[] {
  const { components } = manifest;
  return [
    ...twice(manifest.kubernetes).map((index) => at(['kubernetes', index], 'is there twice')),
    ...twice(manifest.architectures).map((index) => at(['architectures', index], 'is there twice')),
    ...twice(components.map(({ name }) => name)).map((index) =>
      at(['components', index, 'name'], `there is another component called ${components[index]!.name}`),
    ),
    ...(manifest.disk.budgetMb > manifest.disk.sizeMb
      ? [at(['disk', 'budgetMb'], `${manifest.disk.budgetMb} does not fit on a disk of ${manifest.disk.sizeMb}`)]
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
      ? [at([...path, which, 'kubernetes'], `no image has ${kubernetes}; there are ${manifest.kubernetes.join(', ')}`)]
      : []),
    ...manifest.architectures
      .filter((architecture) => !sources[architecture])
      .map((architecture) => at([...path, which, 'sources'], `has none for ${architecture}`)),
  ]);
  const general = versions.filter(({ kubernetes }) => kubernetes === undefined).length;
  if (general > 1) problems.push(at([...path], `has ${general} versions for every image`));
  for (const kubernetes of manifest.kubernetes) {
    const own = versions.filter((each) => each.kubernetes === kubernetes).length;
    if (own > 1) problems.push(at([...path], `has ${own} versions for ${kubernetes}`));
    else if (own + general === 0) problems.push(at([...path], `has no version for ${kubernetes}`));
  }
  return problems;
}

/** A lock takes the newest that the manifest allows, whatever may be proposed. */
function frozenProblems({ components }: Manifest): ManifestProblem[] {
  return components.flatMap((component, index) =>
    component.kind === 'deb' && component.update === 'frozen' && component.version.endsWith('*')
      ? [at(['components', index, 'update'], `frozen goes with a whole version, not with ${component.version}`)]
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
    return other === undefined ? [] : [at(['components', index, 'install', 'to'], `is where ${other} is, too`)];
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
