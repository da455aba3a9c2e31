// node/daemon/effects/work.ts: how is the node changed or checked? Calls the store once; the outcome goes to the log,
// the steps file and the loop.
import { UserError } from '../../../base/errors.ts';
import type { ApplyOutcome, NodeStore } from '../../apply/contract.ts';
import type { StepName } from '../../status/steps-file.ts';
import type { DaemonEffect } from '../state.ts';
import type { EffectContext } from './context.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import { timedSteps } from './timed-steps.ts';
import { reportUnexpected } from './unexpected.ts';

export type WorkEffect = Extract<
  DaemonEffect,
  { do: 'recover' | 'apply' | 'reconcile' | 'check' | 'roll-back' | 'keep' }
>;

/** Names in the steps file; never rename them. */
const STEP: Readonly<Record<WorkEffect['do'], StepName>> = {
  recover: 'recover',
  apply: 'apply',
  reconcile: 'apply',
  check: 'verify',
  'roll-back': 'roll-back',
  keep: 'commit',
};

export async function work(context: EffectContext, effect: WorkEffect): Promise<void> {
  const { deps, dispatch, stopping } = context;
  const name = STEP[effect.do];
  const timed = timedSteps(deps.steps, deps.clock);
  try {
    const { outcome, note } = await callStore(context, effect);
    timed.done(name, outcome);
    logOutcome(context, name, { outcome, note });
    dispatch({ is: 'finished', outcome, note });
  } catch (error) {
    if (!(error instanceof UserError) || stopping.aborted) return reportUnexpected(context, 'work', error);
    const { code, message, next } = error;
    deps.log('warning', `${name}: ${message}`, { code });
    dispatch({ is: 'declined', error: { code, message, next } });
  }
}

async function callStore({ deps, documents, stopping }: EffectContext, effect: WorkEffect): Promise<Reconciliation> {
  const { store, context, clock } = deps;
  switch (effect.do) {
    case 'recover':
      return { outcome: await store.recover() };
    case 'apply': {
      const { raw, isOrdered } = effect;
      return { outcome: await store.apply(documents.assignment(raw), { isOrdered, signal: stopping }) };
    }
    case 'reconcile':
      return reconcile({ store, context, clock, signal: stopping });
    case 'check':
      return { outcome: await store.check() };
    case 'roll-back':
      return { outcome: await rollBack(store, effect.to) };
    case 'keep':
      return { outcome: await store.keep() };
  }
}

async function rollBack(store: NodeStore, to: number | undefined): Promise<ApplyOutcome> {
  if (to === undefined || store.listGenerations().some(({ number }) => number === to)) return store.rollbackTo(to);
  throw new UserError(`this node has no generation ${to}`, {
    code: 'node/no-such-generation',
    next: 'headstart node history',
  });
}

function logOutcome({ logOnChange }: EffectContext, name: StepName, { outcome, note }: Reconciliation): void {
  const { kind, code, reason } = outcome;
  if (kind !== 'unchanged' && name !== 'verify') {
    const fields = { outcome: kind, code, generation: outcome.slots.active?.generation };
    logOnChange(name, kind === 'failed' ? 'error' : 'info', `${name}: ${reason}`, fields);
  }
  if (note !== undefined) logOnChange('note', 'warning', `${name}: ${note.detail}`, { code: note.code });
}
