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

describe('the saved state on a clone', () => {
  it.each([
    ['is not a clone', ACTIVE],
    ['is a clone itself', { ...ACTIVE, vmId: 'donor' }],
  ])('is discarded if the donor %s', async (_, active) => {
    const store = remembering(active);
    expect(await forgetDonor(store, NOTE, log)).toBe(false);
    expect(store.slots()).toEqual({ bad: [] });
  });

  it("counts as the donor's if it cannot be discarded", async () => {
    expect(await forgetDonor(remembering(ACTIVE, 'failed'), NOTE, log)).toBe(true);
  });

  it.each([
    ['this machine has applied it', OWN, NOTE],
    ['no document is active', undefined, NOTE],
    ['this machine is not a clone', ACTIVE, undefined],
  ] as const)('is kept if %s', async (_, active, note) => {
    const store = remembering(active);
    expect(await forgetDonor(store, note, log)).toBe(false);
    expect(store.forgotten()).toBe(0);
  });
});
