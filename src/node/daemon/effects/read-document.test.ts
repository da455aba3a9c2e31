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

describe('a document', () => {
  it('for this node is told to the loop with what it says, and kept until it is applied', async () => {
    const world = aWorld({ state: { slots: runs(undefined) } });
    const raw = await readOf(world, bytesOf(aDocument({}, { generation: 4 })));
    expect(world.told).toMatchObject([{ is: 'read', document: { generation: 4 } }]);
    expect(world.context.documents.assignment(raw).config.generation).toBe(4);
  });

  it('that is wrong is refused, with every reason in the log', async () => {
    const world = aWorld();
    const raw = await readOf(world, bytesOf(aDocument({ kubelet: { maxPods: 0 } })));
    expect(world.told).toMatchObject([{ is: 'refused', why: { code: 'config/invalid' } }]);
    expect(world.logged[0]).toContain('the document is refused: spec.kubelet.maxPods');
    expect(() => world.context.documents.assignment(raw)).toThrow('was not accepted');
  });

  it('that is older than what runs is refused, unless a person brings it', async () => {
    const state = { slots: { active: slot(7), bad: [] } };
    const world = aWorld({ state });
    await readOf(world, bytesOf(aDocument({}, { generation: 2 })));
    expect(world.told).toMatchObject([{ is: 'refused' }]);
    const ordered = aWorld({ state });
    await readOf(ordered, bytesOf(aDocument({}, { generation: 2 })), true);
    expect(ordered.told).toMatchObject([{ is: 'read' }]);
  });

  it('is not measured by what another machine ran: the platform names the instance', async () => {
    const active = assignmentOf();
    const of = (vmId: string) => ({
      ...active,
      facts: { ...active.facts, instance: { ...active.facts.instance, vmId } },
    });
    const store: Partial<NodeStore> = { active: () => of('vm-other') };
    const world = aWorld({ store, state: { slots: { active: slot(7), bad: [] } } });
    world.context.documents.foundOn({ platform: 'azure', vmId: 'vm-1', addresses: [], tags: {} });
    await readOf(world, bytesOf(aDocument({}, { generation: 2 })));
    expect(world.told).toMatchObject([{ is: 'read' }]);
  });

  it('is refused with the reason where a file of the node cannot be read', async () => {
    const world = aWorld();
    world.context.deps.context = () => {
      throw new UserError('the release file cannot be read', { code: 'config/invalid' });
    };
    await readOf(world, bytesOf(aDocument()));
    expect(world.told).toEqual([
      { is: 'refused', why: { code: 'config/invalid', detail: 'the release file cannot be read' } },
    ]);
  });

  it('that is not kept any more is a bug of the lane of work', async () => {
    const world = aWorld();
    await readDocument(world.context, { do: 'read', raw: 'gone', allowsOlder: false });
    expect(world.told).toMatchObject([{ is: 'broke', lane: 'work' }]);
  });
});
