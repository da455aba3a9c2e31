import { describe, expect, it } from 'vitest';
import { checkManifest } from './check-manifest.ts';
import type { FetchedComponent, Manifest } from './manifest.ts';
import { renderManifestProblem } from './manifest-problem.ts';
import { aManifest, CONTAINERD, debText, fileText, KUBELET, manifestText, problemsOf } from './manifests.testing.ts';

describe('checkManifest', () => {
  it.each([
    [
      'a duplicate component',
      `${CONTAINERD}${CONTAINERD}`,
      /components\[1\]\.name: another component is also called containerd/,
    ],
    [
      'an image without a version of a component',
      KUBELET.replace('- version: 1.35.8\n', '- version: 1.35.8\n        kubernetes: 1.35.9\n'),
      /has no version for 1\.35\.8/,
    ],
    ['an architecture without a source', KUBELET.replace('amd64:', 'arm64:'), /sources: has no source for amd64/],
    [
      'two components with the same install path',
      `${KUBELET}${fileText('other', '/usr/bin/kubelet', 'x')}`,
      /kubelet is installed there too/,
    ],
    ['an invalid constraint', debText('x', '1', ['containerd newer than 2']), /is not a constraint such as/],
    [
      'a frozen component with a wildcard version',
      debText('x', '1.6.*').replace('reason: a test', 'reason: a test\n    update: frozen'),
      /update: frozen needs an exact version, got 1\.6\.\*/,
    ],
  ])('reports %s', async (_what, components, expected) => {
    const problems = await problemsOf(manifestText(components));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems.every((problem) => /^line \d+: /.test(problem))).toBe(true);
  });

  const problemsWith = async (change: (manifest: Manifest) => Partial<Manifest>) => {
    const manifest = await aManifest();
    return checkManifest({ ...manifest, ...change(manifest) }).map(renderManifestProblem);
  };

  it('accepts a manifest that was read', async () => {
    expect(await problemsWith(() => ({}))).toEqual([]);
  });

  it('reports a duplicate Kubernetes version and a duplicate architecture', async () => {
    expect(await problemsWith(() => ({ kubernetes: ['1.35.8', '1.35.8'] }))).toEqual([
      'kubernetes[1]: is listed twice',
    ]);
    expect(await problemsWith(() => ({ architectures: ['amd64', 'amd64'] }))).toEqual([
      'architectures[1]: is listed twice',
    ]);
  });

  it('reports a budget that is larger than the disk', async () => {
    expect(await problemsWith(() => ({ disk: { budgetMb: 5000, warnPercent: 75, sizeMb: 4096 } }))).toEqual([
      'disk.budgetMb: 5000 is more than sizeMb, 4096',
    ]);
  });

  it('reports two versions for one image, and a version for no image', async () => {
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
      'components[1].versions: has 2 versions that apply to every image',
    ]);
    expect(await problemsWith(versions('1.35.8', '1.35.8'))).toEqual([
      'components[1].versions: has 2 versions for 1.35.8',
    ]);
    expect(await problemsWith(versions('1.35.8', undefined))).toEqual([]);
    expect(await problemsWith(versions(undefined, '1.35.9'))).toEqual([
      'components[1].versions[1].kubernetes: 1.35.9 is not in the kubernetes list: 1.35.8',
    ]);
  });
});
