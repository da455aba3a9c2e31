import { describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { assignmentOf } from '../../apply/node-folder.testing.ts';
import { anOutcome } from '../states.testing.ts';
import { aWorld } from './effects.testing.ts';
import { work } from './work.ts';

describe('a piece of work', () => {
  it('applies the document that the effect names, and no other', async () => {
    const applied: string[] = [];
    const { context, told } = aWorld({
      store: {
        apply: async ({ hash }) => {
          applied.push(hash);
          return anOutcome('applied');
        },
      },
    });
    const keep = (text: string) =>
      context.documents.keep({ document: Buffer.from(text), origin: text }, context.state());
    const one = keep('one');
    context.documents.accept(one, { ...assignmentOf(), hash: 'hash of one' });
    context.state = () => ({ ...aWorld().context.state(), work: { is: 'applying', raw: one } });
    context.documents.accept(keep('two'), { ...assignmentOf(), hash: 'hash of two' });
    await work(context, { do: 'apply', raw: one, isOrdered: false });
    expect(applied).toEqual(['hash of one']);
    expect(told).toMatchObject([{ is: 'finished', outcome: { kind: 'applied' } }]);
  });

  it.each([
    ['failed', ['error apply: it is failed']],
    ['applied', ['info apply: it is applied']],
    ['unchanged', []],
  ] as const)('that ends %s is logged so', async (kind, lines) => {
    const { context, logged } = aWorld({ store: { apply: async () => anOutcome(kind) } });
    const raw = context.documents.keep({ document: Buffer.from('x'), origin: 'x' }, context.state());
    context.documents.accept(raw, assignmentOf());
    await work(context, { do: 'apply', raw, isOrdered: true });
    expect(logged).toEqual(lines);
  });

  it('that only looks at health is not logged: what it finds is published', async () => {
    const { context, logged, told } = aWorld({ store: { check: async () => anOutcome('failed') } });
    await work(context, { do: 'check' });
    expect([logged, told.length]).toEqual([[], 1]);
  });

  it('to go back to a generation that was never there is declined, and the store is not asked', async () => {
    const { context, told } = aWorld({ store: { listGenerations: () => [] } });
    await work(context, { do: 'roll-back', to: 9 });
    expect(told).toMatchObject([{ is: 'declined', error: { code: 'node/no-such-generation' } }]);
  });

  it('to go back without a number leaves the choice to the store', async () => {
    const { context, told } = aWorld({ store: { rollbackTo: async () => anOutcome('applied') } });
    await work(context, { do: 'roll-back', to: undefined });
    expect(told).toMatchObject([{ is: 'finished' }]);
  });

  it('that a bug ends is told as such, and a mistake of a person too once the daemon stops', async () => {
    const bug = aWorld({ store: { recover: () => Promise.reject(new TypeError('bug')) } });
    await work(bug.context, { do: 'recover' });
    expect(bug.told).toEqual([{ is: 'broke', lane: 'work', detail: 'bug' }]);
    const stopping = aWorld({ store: { keep: () => Promise.reject(new UserError('no', { code: 'node/x' })) } });
    stopping.stop();
    await work(stopping.context, { do: 'keep' });
    expect([stopping.told, stopping.logged]).toEqual([[{ is: 'broke', lane: 'work', detail: 'no' }], []]);
  });
});
