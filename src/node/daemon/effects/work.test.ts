import { describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { assignmentOf } from '../../apply/node-folder.testing.ts';
import { anOutcome } from '../states.testing.ts';
import { aWorld } from './effects.testing.ts';
import { work } from './work.ts';

describe('work', () => {
  it('applies the document that the effect names', async () => {
    const applied: string[] = [];
    const { context, dispatched } = aWorld({
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
    expect(dispatched).toMatchObject([{ is: 'finished', outcome: { kind: 'applied' } }]);
  });

  it.each([
    ['failed', ['error apply: it is failed']],
    ['applied', ['info apply: it is applied']],
    ['unchanged', []],
  ] as const)('logs the outcome %s', async (kind, lines) => {
    const { context, logged } = aWorld({ store: { apply: async () => anOutcome(kind) } });
    const raw = context.documents.keep({ document: Buffer.from('x'), origin: 'x' }, context.state());
    context.documents.accept(raw, assignmentOf());
    await work(context, { do: 'apply', raw, isOrdered: true });
    expect(logged).toEqual(lines);
  });

  it('does not log a health check, because its result is published', async () => {
    const { context, logged, dispatched } = aWorld({ store: { check: async () => anOutcome('failed') } });
    await work(context, { do: 'check' });
    expect([logged, dispatched.length]).toEqual([[], 1]);
  });

  it('declines a rollback to a missing generation without calling the store', async () => {
    const { context, dispatched } = aWorld({ store: { listGenerations: () => [] } });
    await work(context, { do: 'roll-back', to: 9 });
    expect(dispatched).toMatchObject([{ is: 'declined', error: { code: 'node/no-such-generation' } }]);
  });

  it('lets the store choose the generation of a rollback without a number', async () => {
    const { context, dispatched } = aWorld({ store: { rollbackTo: async () => anOutcome('applied') } });
    await work(context, { do: 'roll-back', to: undefined });
    expect(dispatched).toMatchObject([{ is: 'finished' }]);
  });

  it('reports a bug as unexpected, and once the daemon stops also a UserError', async () => {
    const bug = aWorld({ store: { recover: () => Promise.reject(new TypeError('bug')) } });
    await work(bug.context, { do: 'recover' });
    expect(bug.dispatched).toEqual([{ is: 'broke', lane: 'work', detail: 'bug' }]);
    const stopping = aWorld({ store: { keep: () => Promise.reject(new UserError('no', { code: 'node/x' })) } });
    stopping.stop();
    await work(stopping.context, { do: 'keep' });
    expect([stopping.dispatched, stopping.logged]).toEqual([[{ is: 'broke', lane: 'work', detail: 'no' }], []]);
  });
});
