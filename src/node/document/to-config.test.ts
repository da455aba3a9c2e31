import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';
import { parseDocument } from './document.ts';
import { aCluster, aDocument, aDocumentContext, bytesOf } from './documents.testing.ts';

async function configOf(spec: JsonObject, metadata: JsonObject = {}) {
  const parsed = await parseDocument(bytesOf(aDocument(spec, metadata)), aDocumentContext);
  if (parsed.outcome !== 'accepted') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

describe('toConfig', () => {
  it('converts spans to milliseconds and amounts to bytes for this machine', async () => {
    const { kubelet, update } = await configOf({
      kubelet: {
        maxPods: '=cpu * 10',
        shutdownGracePeriod: '30s',
        kubeReserved: { memory: '=pods * 1Mi', cpu: '100m' },
      },
      update: { jitter: '10min' },
    });
    expect([kubelet.maxPods, kubelet.shutdownGraceMs, update.jitterMs]).toEqual([40, 30_000, 600_000]);
    expect(kubelet.kubeReserved).toMatchObject({ memoryBytes: 40 * 2 ** 20, cpuMillis: 100 });
  });

  it.each<[string, JsonObject, object]>([
    ['a token', { token: { token: 'abcdef.0123456789abcdef' } }, { method: 'token', token: expect.any(Secret) }],
    ['a credential', { credential: { name: 'a' } }, { method: 'credential', name: 'a' }],
    ['an existing kubeconfig', { existing: {} }, { method: 'existing' }],
  ])('joins with %s', async (_, join, expected) => {
    expect((await configOf({ cluster: aCluster, join })).join).toMatchObject(expected);
  });

  it('makes secret files readable by their owner only and wraps their content', async () => {
    const { files } = await configOf({
      files: { '/etc/a': { content: 'x', mode: '0644', secret: true }, '/etc/b': { content: 'x', mode: '0644' } },
    });
    expect([files['/etc/a']?.mode, files['/etc/a']?.content]).toEqual([0o600, expect.any(Secret)]);
    expect([files['/etc/b']?.mode, files['/etc/b']?.content]).toEqual([0o644, 'x']);
  });

  it('opens the window every day if the document names no days', async () => {
    const { update } = await configOf({ update: { window: { start: '02:30', duration: '1h' } } });
    expect(update.window).toMatchObject({ startMinute: 150, durationMs: 3_600_000 });
    expect(update.window?.days).toHaveLength(7);
  });
});
