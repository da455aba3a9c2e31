import { describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import type { NodeStore } from '../../apply/contract.ts';
import { assignmentOf } from '../../apply/node-folder.testing.ts';
import { aDocument, bytesOf } from '../../document/documents.testing.ts';
import { runs, slot } from '../states.testing.ts';
import { aWorld, type EffectWorld } from './effects.testing.ts';
import { readDocument } from './read-document.ts';

const kept = ({ context }: EffectWorld, document: Uint8Array) =>
  context.documents.keep({ document, origin: 'test' }, context.state());
const readOf = async (world: EffectWorld, document: Uint8Array, allowsOlder = false) => {
  const raw = kept(world, document);
  await readDocument(world.context, { do: 'read', raw, allowsOlder });
  return raw;
};

describe('readDocument', () => {
  it('dispatches a valid document and keeps its assignment until it is applied', async () => {
    const world = aWorld({ state: { slots: runs(undefined) } });
    const raw = await readOf(world, bytesOf(aDocument({}, { generation: 4 })));
    expect(world.dispatched).toMatchObject([{ is: 'read', document: { generation: 4 } }]);
    expect(world.context.documents.assignment(raw).config.generation).toBe(4);
  });

  it('refuses an invalid document and logs the reason', async () => {
    const world = aWorld();
    const raw = await readOf(world, bytesOf(aDocument({ kubelet: { maxPods: 0 } })));
    expect(world.dispatched).toMatchObject([{ is: 'refused', why: { code: 'config/invalid' } }]);
    expect(world.logged[0]).toContain('the document is refused: spec.kubelet.maxPods');
    expect(() => world.context.documents.assignment(raw)).toThrow('was not accepted');
  });

  it('refuses a document older than the active one, unless it is ordered', async () => {
    const state = { slots: { active: slot(7), bad: [] } };
    const world = aWorld({ state });
    await readOf(world, bytesOf(aDocument({}, { generation: 2 })));
    expect(world.dispatched).toMatchObject([{ is: 'refused' }]);
    const ordered = aWorld({ state });
    await readOf(ordered, bytesOf(aDocument({}, { generation: 2 })), true);
    expect(ordered.dispatched).toMatchObject([{ is: 'read' }]);
  });

  it('ignores the active document if it was applied on another instance', async () => {
    const active = assignmentOf();
    const of = (vmId: string) => ({
      ...active,
      facts: { ...active.facts, instance: { ...active.facts.instance, vmId } },
    });
    const store: Partial<NodeStore> = { active: () => of('vm-other') };
    const world = aWorld({ store, state: { slots: { active: slot(7), bad: [] } } });
    world.context.documents.foundOn({ platform: 'azure', vmId: 'vm-1', addresses: [], tags: {} });
    await readOf(world, bytesOf(aDocument({}, { generation: 2 })));
    expect(world.dispatched).toMatchObject([{ is: 'read' }]);
  });

  it('refuses the document if a file of the node cannot be read', async () => {
    const world = aWorld();
    world.context.deps.context = () => {
      throw new UserError('the release file cannot be read', { code: 'config/invalid' });
    };
    await readOf(world, bytesOf(aDocument()));
    expect(world.dispatched).toEqual([
      { is: 'refused', why: { code: 'config/invalid', detail: 'the release file cannot be read' } },
    ]);
  });

  it('reports a dropped document as an unexpected error in the work lane', async () => {
    const world = aWorld();
    await readDocument(world.context, { do: 'read', raw: 'gone', allowsOlder: false });
    expect(world.dispatched).toMatchObject([{ is: 'broke', lane: 'work' }]);
  });
});
