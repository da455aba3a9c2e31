import { describe, expect, it } from 'vitest';
import { aManifest, debText, fileText, KUBELET } from '../manifests.testing.ts';
import { checkRules, RULES, renderFindings } from './check.ts';

const FLAGS = '/etc/default/kubelet';

describe('RULES', () => {
  it('gives each rule a unique id, a sentence and a source', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { says, source } of RULES) expect(says.length > 10 && source.length > 10).toBe(true);
  });
});

describe('checkRules', () => {
  const check = async (components: string) =>
    // These manifests leave out parts of a node on purpose.
    checkRules(await aManifest(components)).filter(({ rule }) => rule !== 'node/complete');

  it('reports findings with rule and source, errors first', async () => {
    const findings = await check(
      `${debText('containerd', '1.6.20~ds1-1')}${KUBELET.replace('version: 1.35.8', 'version: 1.35.7')}${fileText('flags', FLAGS, '--container-runtime=x')}`,
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['error', 'error', 'warning', 'warning']);
    expect(renderFindings(findings)[0]).toMatch(
      /^problem {2}kubelet \(Kubernetes 1\.35\.8\): kubelet is 1\.35\.7, expected 1\.35\.8 \[kubernetes\/same-patch; .*kubernetes\.io/,
    );
  });
});
