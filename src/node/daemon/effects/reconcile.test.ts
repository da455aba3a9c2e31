// The active document is applied even if it cannot be read again, because kubelet must not start without its settings.
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { openNodeStore } from '../../apply/store.ts';
import { aCluster, aDocument, anImage, bytesOf } from '../../document/documents.testing.ts';
import { TestNode } from '../daemon.testing.ts';
import type { NodeContext } from '../read-assignment.ts';
import { reconcile } from './reconcile.ts';

const nodes: TestNode[] = [];
afterEach(() => {
  for (const { folder } of nodes.splice(0)) folder.remove();
});

/** A node that was configured in an earlier boot; this boot has lost the kernel settings. */
async function booted(): Promise<TestNode['folder']> {
  const delivered = bytesOf(aDocument({ cluster: aCluster, join: { existing: {} } }, { generation: 1 }));
  const node = new TestNode({ delivered });
  nodes.push(node);
  await node.until(() => node.readyAtPhase.length === 1);
  await node.stop();
  node.folder.boot();
  node.folder.ran.length = 0;
  return node.folder;
}

const context: NodeContext = { image: { ...anImage }, machine: { cpus: 4, memoryBytes: 16 * 2 ** 30 }, overrides: [] };
const typo = 'apiVersion: headstart.dev/v1\nkind: NodeConfig\nspec: {kubelet: {maxPods: many}}\n';

describe('reconcile', () => {
  it.each<[string, () => NodeContext, RegExp | undefined]>([
    ['with unchanged override files', () => context, undefined],
    [
      'with an invalid override file',
      () => ({ ...context, overrides: [{ name: '50-me.yaml', bytes: Buffer.from(typo) }] }),
      /maxPods/,
    ],
    [
      'with a link in place of an override file',
      () => {
        throw new UserError('50-me.yaml is a link', { code: 'config/not-readable' });
      },
      /50-me.yaml is a link/,
    ],
  ])('applies the active document after a boot %s', async (_, read, problem) => {
    const folder = await booted();
    const store = openNodeStore(folder.deps());
    const { outcome, note } = await reconcile({ store, context: read, clock: folder.clock });
    expect(['unchanged', 'applied']).toContain(outcome.kind);
    expect(folder.ran.some((line) => line.startsWith('nft'))).toBe(true);
    if (problem === undefined) expect(note).toBeUndefined();
    else expect(note).toEqual({ code: 'config/kept-as-applied', detail: expect.stringMatching(problem) });
  });
});
