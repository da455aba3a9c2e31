import { describe, expect, it } from 'vitest';
import type { ApplyOutcome, Slot, Slots } from '../apply/contract.ts';
import { forgetDonor } from './forget-donor.ts';

const NOTE = { vmId: 'clone', why: { code: 'clone/new-identity', detail: 'new' } } as const;

const ACTIVE: Slot = { number: 1, generation: 1, hash: 'h', documentHash: 'd', atMs: 1000 };
const OWN: Slot = { ...ACTIVE, vmId: 'clone' };

function remembering(active: Slot | undefined, kind: ApplyOutcome['kind'] = 'unchanged') {
  let slots: Slots = { bad: [], active };
  let forgotten = 0;
  return {
    forgotten: () => forgotten,
    slots: () => slots,
    async forget(): Promise<ApplyOutcome> {
      forgotten++;
      if (kind !== 'failed') slots = { bad: [] };
      return { kind, code: 'clone/new-identity', reason: 'of another machine', timings: [], slots };
    },
  };
}
const log = () => {};

describe('what a clone remembers of its donor', () => {
  it.each([
    ['was no clone', ACTIVE],
    ['was a clone itself', { ...ACTIVE, vmId: 'donor' }],
  ])('is forgotten before anything is made of it when that one %s', async (_, active) => {
    const store = remembering(active);
    expect(await forgetDonor(store, NOTE, log)).toBe(false);
    expect(store.slots()).toEqual({ bad: [] });
  });

  it('is still known for the donor’s when it cannot be forgotten', async () => {
    expect(await forgetDonor(remembering(ACTIVE, 'failed'), NOTE, log)).toBe(true);
  });

  it.each([
    ['this machine applied it after it was given its identity', OWN, NOTE],
    ['there is nothing', undefined, NOTE],
    ['this machine is no clone', ACTIVE, undefined],
  ] as const)('is kept when %s', async (_, active, note) => {
    const store = remembering(active);
    expect(await forgetDonor(store, note, log)).toBe(false);
    expect(store.forgotten()).toBe(0);
  });
});
