import { describe, expect, it } from 'vitest';
import { aChange, aPlan } from '../plan/plans.testing.ts';
import type { DaemonState, DaemonWork, PhaseStatus } from './state.ts';
import { anOutcome, aState, runs, watch } from './states.testing.ts';
import { statusAfter } from './status-after.ts';

const phases = ({ ofDocument, ofNode }: Pick<DaemonState, 'ofDocument' | 'ofNode'>) => [
  ofDocument?.phase,
  ofNode.phase,
];
const applying: PhaseStatus = { phase: 'Applying', code: 'apply/running', detail: 'x' };
const rolledBack: PhaseStatus = { phase: 'RolledBack', code: 'verify/unit-failed', detail: 'x' };
const shown = (work: DaemonWork['is'], outcome: ReturnType<typeof anOutcome>, over: Partial<DaemonState> = {}) =>
  statusAfter(aState({ ofDocument: applying, ...over }), work, outcome);

describe('after successful work, the status', () => {
  it('is Applied, or Verifying while the change is watched', () => {
    expect(phases(shown('applying', anOutcome('unchanged')))).toEqual([undefined, 'Applied']);
    const watched = anOutcome('applied', { slots: runs(2, { watch }), code: 'verify/running' });
    expect(shown('applying', watched)).toMatchObject({ ofDocument: undefined, ofNode: { phase: 'Verifying' } });
  });

  it('still shows a waiting document after other work', () => {
    expect(phases(shown('reconciling', anOutcome('unchanged')))).toEqual(['Applying', 'Applied']);
    expect(phases(shown('rolling-back', anOutcome('applied')))).toEqual([undefined, 'Applied']);
  });

  it('stays RolledBack until another document is applied or an operator rolls back', () => {
    const over = { ofNode: rolledBack, ofDocument: undefined };
    expect(shown('checking', anOutcome('unchanged'), over).ofNode).toBe(rolledBack);
    expect(shown('applying', anOutcome('unchanged'), over).ofNode.phase).toBe('Applied');
  });

  it('of a watched change comes only from the checks', () => {
    const degraded: PhaseStatus = { phase: 'Verifying', code: 'verify/unit-failed', detail: 'so far' };
    const outcome = anOutcome('unchanged', { slots: runs(1, { watch }) });
    expect(shown('reconciling', outcome, { ofNode: degraded }).ofNode).toBe(degraded);
    expect(shown('checking', outcome, { ofNode: degraded }).ofNode.code).toBe('verify/running');
  });

  it('is Applied with a note if only changes for the control plane are left', () => {
    const outcome = anOutcome('blocked', { code: 'plan/needs-control-plane', reason: 'taint a' });
    const status = shown('applying', outcome);
    expect(phases(status)).toEqual([undefined, 'Applied']);
    expect(status.notes).toEqual([{ code: 'plan/needs-control-plane', detail: 'taint a' }]);
  });
});

describe('after unsuccessful work, the status', () => {
  it.each([
    ['failed', 'Degraded'],
    ['waiting', 'Planned'],
    ['blocked', 'Blocked'],
    ['refused', 'Blocked'],
  ] as const)('of a document that is %s is %s, and so is that of the node after other work', (kind, phase) => {
    const outcome = anOutcome(kind, { code: 'apply/write-failed' });
    expect(phases(shown('applying', outcome))).toEqual([phase, 'Applied']);
    expect(phases(shown('reconciling', outcome))).toEqual(['Applying', phase]);
  });

  it('is RolledBack, and the document is no longer shown', () => {
    expect(phases(shown('checking', anOutcome('reverted')))).toEqual([undefined, 'RolledBack']);
  });

  it('does not change while another process changes the node, unless the work was an apply', () => {
    const busy = anOutcome('waiting', { code: 'apply/busy' });
    expect(phases(shown('reconciling', busy))).toEqual(['Applying', 'Applied']);
    expect(phases(shown('applying', busy))).toEqual(['Planned', 'Applied']);
  });
});

describe('the note about changes for the control plane', () => {
  const note = { code: 'plan/needs-control-plane', detail: 'old' } as const;
  const notes = (plan: ReturnType<typeof aPlan> | undefined) =>
    shown('reconciling', anOutcome('unchanged', { plan }), { notes: [note] }).notes.map(({ code }) => code);

  it('stays while nothing was planned, and then follows the latest plan', () => {
    expect(notes(undefined)).toEqual(['plan/needs-control-plane']);
    expect(notes(aPlan({ changes: [aChange({ class: 'C' })] }))).toEqual(['plan/needs-control-plane']);
    expect(notes(aPlan({ changes: [aChange()] }))).toEqual([]);
  });
});
