import { describe, expect, it } from 'vitest';
import type { Manifest } from '../manifest.ts';
import { aManifest, debText, KUBELET } from '../manifests.testing.ts';
import { checkRules } from './check.ts';

describe('checkRules', () => {
  const check = async (components: string, edit: (manifest: Manifest) => Manifest = (manifest) => manifest) =>
    // These manifests leave out parts of a node on purpose.
    checkRules(edit(await aManifest(components))).filter(({ rule }) => rule !== 'node/complete');

  it("checks the manifest's constraints on components, kubernetes and debian", async () => {
    const findings = await check(
      `${KUBELET}${debText('containerd', '1.7.2-1')}${debText('x', '1', ['containerd >= 2', 'kubernetes >= 1.36', 'debian >= 13', 'kubelet >= 1.30'])}`,
    );
    const own = findings.filter(({ rule }) => rule === 'manifest/constraints').map(({ message }) => message);
    expect(own).toEqual([
      'requires containerd >= 2, got 1.7.2-1',
      'requires kubernetes >= 1.36, got 1.35.8',
      'requires debian >= 13, got 12',
    ]);
  });

  it('ignores a constraint on the release number of an unknown base', async () => {
    const findings = await check(debText('x', '1', ['debian >= 13']), (manifest) => ({
      ...manifest,
      base: { origin: 'debian:constructor' },
    }));
    expect(findings).toEqual([]);
  });
});
