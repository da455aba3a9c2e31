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
const saidAfter = (work: DaemonWork['is'], outcome: ReturnType<typeof anOutcome>, over: Partial<DaemonState> = {}) =>
  statusAfter(aState({ ofDocument: applying, ...over }), work, outcome);

describe('after work that was done, the node says', () => {
  it('that it runs the generation, or that it is watched', () => {
    expect(phases(saidAfter('applying', anOutcome('unchanged')))).toEqual([undefined, 'Applied']);
    const watched = anOutcome('applied', { slots: runs(2, { watch }), code: 'verify/running' });
    expect(saidAfter('applying', watched)).toMatchObject({ ofDocument: undefined, ofNode: { phase: 'Verifying' } });
  });

  it('still what it said of a document that waits, when other work is done', () => {
    expect(phases(saidAfter('reconciling', anOutcome('unchanged')))).toEqual(['Applying', 'Applied']);
    expect(phases(saidAfter('rolling-back', anOutcome('applied')))).toEqual([undefined, 'Applied']);
  });

  it('that it went back, until another document or a person ends that', () => {
    const over = { ofNode: rolledBack, ofDocument: undefined };
    expect(saidAfter('checking', anOutcome('unchanged'), over).ofNode).toBe(rolledBack);
    expect(saidAfter('applying', anOutcome('unchanged'), over).ofNode.phase).toBe('Applied');
  });

  it('what is watched only from the checks themselves', () => {
    const degraded: PhaseStatus = { phase: 'Verifying', code: 'verify/unit-failed', detail: 'so far' };
    const outcome = anOutcome('unchanged', { slots: runs(1, { watch }) });
    expect(saidAfter('reconciling', outcome, { ofNode: degraded }).ofNode).toBe(degraded);
    expect(saidAfter('checking', outcome, { ofNode: degraded }).ofNode.code).toBe('verify/running');
  });

  it('that it is in force where only the control plane has something left, with a note of that', () => {
    const outcome = anOutcome('blocked', { code: 'plan/needs-control-plane', reason: 'taint a' });
    const said = saidAfter('applying', outcome);
    expect(phases(said)).toEqual([undefined, 'Applied']);
    expect(said.notes).toEqual([{ code: 'plan/needs-control-plane', detail: 'taint a' }]);
  });
});

describe('after work that was not done, the node says', () => {
  it.each([
    ['failed', 'Degraded'],
    ['waiting', 'Planned'],
    ['blocked', 'Blocked'],
    ['refused', 'Blocked'],
  ] as const)('of a document that is %s: %s; and the same of itself after other work', (kind, phase) => {
    const outcome = anOutcome(kind, { code: 'apply/write-failed' });
    expect(phases(saidAfter('applying', outcome))).toEqual([phase, 'Applied']);
    expect(phases(saidAfter('reconciling', outcome))).toEqual(['Applying', phase]);
  });

  it('that it went back, and nothing of the document', () => {
    expect(phases(saidAfter('checking', anOutcome('reverted')))).toEqual([undefined, 'RolledBack']);
  });

  it('nothing new while another process is at work, unless it is about the document', () => {
    const busy = anOutcome('waiting', { code: 'apply/busy' });
    expect(phases(saidAfter('reconciling', busy))).toEqual(['Applying', 'Applied']);
    expect(phases(saidAfter('applying', busy))).toEqual(['Planned', 'Applied']);
  });
});

describe('the note of what the control plane has to do', () => {
  const note = { code: 'plan/needs-control-plane', detail: 'old' } as const;
  const notes = (plan: ReturnType<typeof aPlan> | undefined) =>
    saidAfter('reconciling', anOutcome('unchanged', { plan }), { notes: [note] }).notes.map(({ code }) => code);

  it('stays while nothing was planned, and goes by what the latest plan says', () => {
    expect(notes(undefined)).toEqual(['plan/needs-control-plane']);
    expect(notes(aPlan({ changes: [aChange({ class: 'C' })] }))).toEqual(['plan/needs-control-plane']);
    expect(notes(aPlan({ changes: [aChange()] }))).toEqual([]);
  });
});
