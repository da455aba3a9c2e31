import { describe, expect, it } from 'vitest';
import type { Outcome, Slots } from '../transaction/contract.ts';
import { forgetDonor } from './forget-donor.ts';

const NOTE = { atMs: 1000, why: { code: 'clone/new-identity', detail: 'new' } } as const;

function remembering(activeMs: number | undefined, kind: Outcome['kind'] = 'unchanged') {
  let slots: Slots = {
    bad: [],
    ...(activeMs !== undefined && {
      active: { number: 1, generation: 1, hash: 'h', documentHash: 'd', atMs: activeMs },
    }),
  };
  let forgotten = 0;
  return {
    forgotten: () => forgotten,
    slots: () => slots,
    async forget(): Promise<Outcome> {
      forgotten++;
      if (kind !== 'failed') slots = { bad: [] };
      return { kind, code: 'clone/new-identity', reason: 'of another machine', timings: [], slots };
    },
  };
}
const log = () => {};

describe('what a clone remembers of its donor', () => {
  it('is forgotten before anything is made of it', async () => {
    const store = remembering(500);
    expect(await forgetDonor(store, NOTE, log)).toBe(false);
    expect(store.slots()).toEqual({ bad: [] });
  });

  it('is still known for the donor’s when it cannot be forgotten', async () => {
    expect(await forgetDonor(remembering(500, 'failed'), NOTE, log)).toBe(true);
  });

  it.each([
    ['this machine applied it after it was given its identity', 2000, NOTE],
    ['there is nothing', undefined, NOTE],
    ['this machine is no clone', 500, undefined],
  ] as const)('is kept when %s', async (_, activeMs, note) => {
    const store = remembering(activeMs);
    expect(await forgetDonor(store, note, log)).toBe(false);
    expect(store.forgotten()).toBe(0);
  });
});
