import { expect, it } from 'vitest';
import { bootRecord, managerTimes } from '../../testing.ts';
import { chain } from '../chain.ts';
import { compareBoots } from '../compare.ts';
import { startsWithClaims } from './claim-starts.ts';

const ready = (atUs: number) => ({ name: 'node-ready' as const, atUs, source: 'cluster' as const });
const facts = { pool: 'p', instance: 'p-1', parkedUs: 7e9, ranUs: 40e6, errorUs: 1000 };
const claim = (tier: 'paused' | 'frozen' = 'frozen') =>
  bootRecord({ clock: { zero: 'claim' }, claim: { ...facts, tier }, milestones: [ready(1e6)] });
const manager = managerTimes();
const cold = bootRecord({ manager, milestones: [ready(22e6)] });
const created = bootRecord({
  manager,
  milestones: [{ name: 'vm-created', atUs: -1e6, source: 'platform' }, ready(22e6)],
});

it('is undefined without a claim', () => {
  expect(startsWithClaims([cold], [created])).toBeUndefined();
});

it('compares claim to Ready with start to Ready, and names both', () => {
  const answer = compareBoots([created], [claim()]);
  expect(answer.from).toEqual({ before: 'the start of the VM', after: 'the claim (frozen)' });
  expect(answer.total).toMatchObject({ name: 'node-ready', beforeUs: 23e6, afterUs: 1e6 });
});

it('counts all boots from the kernel if one does not know when its VM was started', () => {
  const answer = compareBoots([cold, created], [claim('paused'), claim()]);
  expect(answer.from).toEqual({ before: 'kernel start', after: 'the claim (frozen) or the claim (paused)' });
  expect(answer.total).toMatchObject({ beforeUs: 22e6, afterUs: 1e6 });
});

it('has effects that add up to the difference', () => {
  const steps = [
    { id: 'claim:thaw', name: 'thaw', source: 'platform' as const, startUs: 0, endUs: 200_000 },
    { id: 'claim:report', name: 'report', source: 'kubelet' as const, startUs: 200_000, endUs: 1e6 },
  ];
  const claimed = { ...claim(), spans: steps };
  expect(chain(claimed).map(({ id }) => id)).toEqual(['milestone:node-ready', 'claim:report', 'claim:thaw']);
  const { changes, total } = compareBoots([created], [claimed], { thresholdUs: 0 });
  const effectUs = changes
    .filter(({ inside }) => inside === undefined)
    .reduce((sum, { explainsUs }) => sum + explainsUs, 0);
  expect(effectUs).toBe(total!.deltaUs);
});
