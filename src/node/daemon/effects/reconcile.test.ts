// What a node runs is put right also when it cannot be read again: kubelet must not start without it.
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

/** It was configured in an earlier boot; nothing of the kernel's is set in this one. */
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

describe('what the node runs', () => {
  it.each<[string, () => NodeContext, RegExp | undefined]>([
    ['with the files it was applied with', () => context, undefined],
    [
      'with a mistake in a file that changes it',
      () => ({ ...context, overrides: [{ name: '50-me.yaml', bytes: Buffer.from(typo) }] }),
      /maxPods/,
    ],
    [
      'with a link in place of such a file',
      () => {
        throw new UserError('50-me.yaml is a link', { code: 'config/not-readable' });
      },
      /50-me.yaml is a link/,
    ],
  ])('is put right after a boot %s', async (_, read, problem) => {
    const folder = await booted();
    const store = openNodeStore(folder.deps());
    const { outcome, note } = await reconcile({ store, context: read, clock: folder.clock });
    expect(['unchanged', 'applied']).toContain(outcome.kind);
    expect(folder.ran.some((line) => line.startsWith('nft'))).toBe(true);
    if (problem === undefined) expect(note).toBeUndefined();
    else expect(note).toEqual({ code: 'config/kept-as-applied', detail: expect.stringMatching(problem) });
  });
});
