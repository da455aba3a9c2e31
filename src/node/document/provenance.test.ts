import { describe, expect, it } from 'vitest';
import { parseDocument } from './document.ts';
import { aCluster, aDocument, aDocumentContext, bytesOf } from './documents.testing.ts';
import { provenanceOf } from './provenance.ts';

async function leaves(spec: Parameters<typeof aDocument>[0]) {
  const parsed = await parseDocument(bytesOf(aDocument(spec)), aDocumentContext);
  if (parsed.outcome !== 'accepted') throw new Error(JSON.stringify(parsed.problems));
  return new Map(provenanceOf(parsed).map(({ path, value, from }) => [path, { value, from }]));
}

describe('provenanceOf', () => {
  it('names the document, or the default for a value that the document does not set', async () => {
    const all = await leaves({ kubelet: { maxPods: 30 } });
    expect(all.get('spec.kubelet.maxPods')).toEqual({ value: 30, from: 'userData' });
    expect(all.get('spec.update.mode')?.from).toBe('default');
  });

  it('masks secrets', async () => {
    const all = await leaves({
      cluster: aCluster,
      join: { token: { token: 'abcdef.0123456789abcdef' } },
      proxy: { http: 'http://u:hunter2@p', noProxy: ['x'] },
      files: { '/etc/a': { content: 'hunter2', secret: true }, '/etc/b': { content: 'open' } },
    });
    const secrets = [...all].filter(([, { value }]) => value === '[secret]').map(([path]) => path);
    expect(secrets).toHaveLength(3);
    expect(JSON.stringify([...all])).not.toMatch(/hunter2|0123456789abcdef/);
    expect([...all.values()].some(({ value }) => value === 'open')).toBe(true);
  });
});
