import { describe, expect, it } from 'vitest';
import type { Manifest } from '../manifest.ts';
import { aManifest, debText, KUBELET } from '../manifests.testing.ts';
import { checkRules } from './check.ts';

describe('a manifest', () => {
  const check = async (components: string, edit: (manifest: Manifest) => Manifest = (manifest) => manifest) =>
    // What these manifests leave out to be a node is not what they are about.
    checkRules(edit(await aManifest(components))).filter(({ rule }) => rule !== 'node/complete');

  it('is held to its own constraints, of components, of kubernetes and of debian', async () => {
    const findings = await check(
      `${KUBELET}${debText('containerd', '1.7.2-1')}${debText('x', '1', ['containerd >= 2', 'kubernetes >= 1.36', 'debian >= 13', 'kubelet >= 1.30'])}`,
    );
    const own = findings.filter(({ rule }) => rule === 'manifest/constraints').map(({ message }) => message);
    expect(own).toEqual([
      'it needs containerd >= 2, and there is 1.7.2-1',
      'it needs kubernetes >= 1.36, and there is 1.35.8',
      'it needs debian >= 13, and there is 12',
    ]);
  });

  it('of a base that nobody knows is not held to its number', async () => {
    const findings = await check(debText('x', '1', ['debian >= 13']), (manifest) => ({
      ...manifest,
      base: { origin: 'debian:constructor' },
    }));
    expect(findings).toEqual([]);
  });
});
