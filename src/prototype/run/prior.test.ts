import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../cluster/cluster.ts';
import { AUTOSCALER_ANNOTATION, KARPENTER_ANNOTATION, PRIOR_ANNOTATION, STOPPED_ANNOTATION } from '../names.ts';
import { lab } from '../testing.ts';
import {
  donorMark,
  guardChange,
  isGuarded,
  isProtectionLost,
  isStaleStatus,
  type Prior,
  priorOf,
  priorProtection,
  readDonorMark,
  readPrior,
  recordChange,
  restoreChange,
  restoreWarning,
  stoppedChange,
} from './prior.ts';

const { cluster, donor } = lab();
const node = cluster.nodes.get(donor.computerName)!;
const withNotes = (annotations: Record<string, string>): Node => ({ ...node, annotations });
const anyPrior: fc.Arbitrary<Prior> = fc.record({
  run: fc.stringMatching(/^[a-z0-9-]{1,20}$/),
  instanceId: fc.string(),
  vmId: fc.string(),
  isUnschedulable: fc.boolean(),
  annotations: fc.record({
    [AUTOSCALER_ANNOTATION]: fc.option(fc.string()),
    [KARPENTER_ANNOTATION]: fc.option(fc.string()),
  }),
  protection: fc.record({ fromScaleIn: fc.boolean(), fromPoolActions: fc.boolean() }),
});

describe('the recorded state of a donor', () => {
  it('is read back unchanged, and so is the tag on its instance', () => {
    fc.assert(
      fc.property(anyPrior, (prior) => {
        const { [PRIOR_ANNOTATION]: text } = recordChange(prior).annotations!;
        expect(readPrior(withNotes({ [PRIOR_ANNOTATION]: text! }))).toEqual(prior);
        expect(readDonorMark(donorMark(prior))).toEqual({ run: prior.run, protection: prior.protection });
        expect(donorMark(prior).length).toBeLessThan(256);
      }),
    );
  });

  it.each(['', 'null', '{}', '{"run":"r"}', 'x', '[]', '{"run":"r","isUnschedulable":false}'])(
    'still marks a donor, of no run, and undoes nothing if the annotation is %j',
    (text) => {
      const prior = readPrior(withNotes({ [PRIOR_ANNOTATION]: text }))!;
      expect(prior).toMatchObject({ run: '', isDamaged: true });
      const change = restoreChange(prior);
      expect(change).not.toHaveProperty('isUnschedulable');
      expect(Object.keys(change.annotations!)).not.toEqual(expect.arrayContaining([AUTOSCALER_ANNOTATION]));
      expect(change.annotations).toHaveProperty([PRIOR_ANNOTATION], null);
    },
  );

  it('that is damaged takes the protection from the tag on the instance', () => {
    const damaged = readPrior(withNotes({ [PRIOR_ANNOTATION]: 'x' }))!;
    const mine = { ...priorOf(node, donor, 'run-1'), protection: { fromScaleIn: true, fromPoolActions: false } };
    const other = { fromScaleIn: false, fromPoolActions: true };
    expect(priorProtection(damaged, donorMark(mine))).toEqual(mine.protection);
    expect(priorProtection(damaged, undefined)).toEqual({ fromScaleIn: false, fromPoolActions: false });
    expect(priorProtection(mine, donorMark({ ...mine, protection: other }))).toEqual(mine.protection);
    expect(priorProtection(undefined, donorMark(mine))).toEqual(mine.protection);
    expect(priorProtection(undefined, undefined)).toBeUndefined();
  });

  it.each([
    ['nothing', undefined, undefined, false],
    ['a readable annotation', 'whole', undefined, false],
    ['a readable annotation and an edited tag', 'whole', 'mine', false],
    ['a damaged annotation', 'damaged', undefined, true],
    ['a damaged annotation and the tag', 'damaged', 'run-0 10', false],
    ['the tag alone', undefined, 'run-0 10', false],
    ['an edited tag', undefined, 'mine', true],
    ['an empty tag', undefined, '', true],
  ] as const)('with %s: is the protection lost?', (_, note, mark, isLost) => {
    const mine: Prior = { ...priorOf(node, donor, 'r') };
    const prior = note && (note === 'damaged' ? readPrior(withNotes({ [PRIOR_ANNOTATION]: 'x' })) : mine);
    expect(isProtectionLost(prior, mark)).toBe(isLost);
  });

  it('that is damaged leaves a decision to a person, with the commands', () => {
    const damaged = readPrior(withNotes({ [PRIOR_ANNOTATION]: 'x' }))!;
    const cordoned = { ...node, isUnschedulable: true };
    expect(restoreWarning(damaged, cordoned)).toContain(`stays cordoned`);
    expect(restoreWarning(damaged, cordoned)).toContain(`kubectl uncordon ${node.name}`);
    const guarded = withNotes(guardChange().annotations as Record<string, string>);
    expect(restoreWarning(damaged, guarded)).toContain(`kubectl annotate node ${node.name} ${AUTOSCALER_ANNOTATION}-`);
    expect(restoreWarning(damaged, node)).toBeUndefined();
    expect(restoreWarning(priorOf(cordoned, donor, 'run-1'), cordoned)).toBeUndefined();
  });

  it('is undefined for a node in service, an instance without a tag, and no node', () => {
    expect(readPrior(withNotes({}))).toBeUndefined();
    expect(readPrior(undefined)).toBeUndefined();
    expect(readDonorMark(undefined)).toBeUndefined();
  });

  it('restores the guard annotations, or removes those that were not set', () => {
    const found = withNotes({ [AUTOSCALER_ANNOTATION]: 'false' });
    const prior = priorOf(found, donor, 'run-1');
    expect(restoreChange(prior).annotations).toMatchObject({
      [AUTOSCALER_ANNOTATION]: 'false',
      [KARPENTER_ANNOTATION]: null,
      [PRIOR_ANNOTATION]: null,
    });
    expect(isGuarded(found)).toBe(false);
    expect(isGuarded(withNotes(guardChange().annotations as Record<string, string>))).toBe(true);
  });
});

describe('the status of a node that was stopped', () => {
  const nowMs = 1_000_000_000;
  const stopped = (bootId: string): Node => {
    const { [STOPPED_ANNOTATION]: note } = stoppedChange({ ...node, bootId: 'b1' }, nowMs)!.annotations!;
    return { ...withNotes({ [STOPPED_ANNOTATION]: note! }), bootId };
  };

  it.each([
    ['is stale right after the stop', 'b1', 0, true],
    ['is stale while the cluster may keep a silent node Ready', 'b1', 239_000, true],
    ['is current later: the stop never happened', 'b1', 240_000, false],
    ['is current if it comes from another boot', 'b2', 0, false],
  ])('%s', (_when, bootId, laterMs, expected) => {
    expect(isStaleStatus(stopped(bootId), nowMs + laterMs)).toBe(expected);
  });

  it('is never stale if the node reports no boot id', () => {
    const { bootId: _, ...silent } = node;
    expect(stoppedChange(silent, nowMs)).toBeUndefined();
    expect(isStaleStatus(silent, nowMs)).toBe(false);
  });
});
