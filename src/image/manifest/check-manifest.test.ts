import { describe, expect, it } from 'vitest';
import { checkManifest } from './check-manifest.ts';
import type { FetchedComponent, Manifest } from './manifest.ts';
import { renderManifestProblem } from './manifest-problem.ts';
import { aManifest, CONTAINERD, debText, fileText, KUBELET, manifestText, problemsOf } from './manifests.testing.ts';

describe('a manifest whose parts do not fit together', () => {
  it.each([
    [
      'a component twice',
      `${CONTAINERD}${CONTAINERD}`,
      /components\[1\]\.name: there is another component called containerd/,
    ],
    [
      'no version for an image',
      KUBELET.replace('- version: 1.35.8\n', '- version: 1.35.8\n        kubernetes: 1.35.9\n'),
      /has no version for 1\.35\.8/,
    ],
    ['no source for an architecture', KUBELET.replace('amd64:', 'arm64:'), /sources: has none for amd64/],
    ['two in one place', `${KUBELET}${fileText('other', '/usr/bin/kubelet', 'x')}`, /is where kubelet is, too/],
    ['a constraint that is none', debText('x', '1', ['containerd newer than 2']), /is not a constraint such as/],
    [
      'something frozen that is open',
      debText('x', '1.6.*').replace('reason: a test', 'reason: a test\n    update: frozen'),
      /update: frozen goes with a whole version, not with 1\.6\.\*/,
    ],
  ])('is refused for %s', async (_what, components, expected) => {
    const problems = await problemsOf(manifestText(components));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems.every((problem) => /^line \d+: /.test(problem))).toBe(true);
  });

  const problemsWith = async (change: (manifest: Manifest) => Partial<Manifest>) => {
    const manifest = await aManifest();
    return checkManifest({ ...manifest, ...change(manifest) }).map(renderManifestProblem);
  };

  it('has no problem once it is read', async () => {
    expect(await problemsWith(() => ({}))).toEqual([]);
  });

  it('is told of a Kubernetes version and an architecture that are there twice', async () => {
    expect(await problemsWith(() => ({ kubernetes: ['1.35.8', '1.35.8'] }))).toEqual(['kubernetes[1]: is there twice']);
    expect(await problemsWith(() => ({ architectures: ['amd64', 'amd64'] }))).toEqual([
      'architectures[1]: is there twice',
    ]);
  });

  it('is told of a budget that is larger than the disk', async () => {
    expect(await problemsWith(() => ({ disk: { budgetMb: 5000, warnPercent: 75, sizeMb: 4096 } }))).toEqual([
      'disk.budgetMb: 5000 does not fit on a disk of 4096',
    ]);
  });

  it('is told of two versions for one image, and of a version for no image', async () => {
    const versions =
      (...kubernetes: (string | undefined)[]) =>
      (manifest: Manifest) => ({
        components: manifest.components.map((component) => {
          if (component.name !== 'kubelet') return component;
          const fetched = component as FetchedComponent;
          const { kubernetes: _, ...first } = fetched.versions[0]!;
          return {
            ...fetched,
            versions: kubernetes.map((each) => (each === undefined ? first : { ...first, kubernetes: each })),
          };
        }),
      });
    expect(await problemsWith(versions(undefined, undefined))).toEqual([
      'components[1].versions: has 2 versions for every image',
    ]);
    expect(await problemsWith(versions('1.35.8', '1.35.8'))).toEqual([
      'components[1].versions: has 2 versions for 1.35.8',
    ]);
    expect(await problemsWith(versions('1.35.8', undefined))).toEqual([]);
    expect(await problemsWith(versions(undefined, '1.35.9'))).toEqual([
      'components[1].versions[1].kubernetes: no image has 1.35.9; there are 1.35.8',
    ]);
  });
});
