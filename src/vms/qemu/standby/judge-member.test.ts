import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STANDBY_TIERS } from '../../standby.ts';
import { judgeMember, type MemberFacts, type PoolFacts } from './judge-member.ts';
import type { ParkedRecord } from './parked-record.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 18);
const PARKED_MS = NOW_MS - HOUR_MS;
const parked: ParkedRecord = {
  ...{ tier: 'frozen', parkedMs: PARKED_MS, bootedMs: NOW_MS - 2 * HOUR_MS, qemu: '7.2', shape: [] },
  ...{ image: 'v1', modelRevision: 3, kernel: 'k', document: 'd', files: {} },
  certificateEndMs: NOW_MS + 1000 * HOUR_MS,
};
const pool: PoolFacts = { image: 'v1', modelRevision: 3, document: 'd', maxAgeMs: 24 * HOUR_MS, nowMs: NOW_MS };
const frozen: MemberFacts = { tier: 'frozen', state: 'parked', machine: 'off', parked };
const inMs = (ms: number) => ({ parked: { ...parked, certificateEndMs: NOW_MS + ms } });

describe('a standby instance', () => {
  it.each<[string, string, Partial<MemberFacts>, Partial<PoolFacts>, RegExp]>([
    ['use', 'as it should be', {}, {}, /^parked 1h ago$/],
    ['use', 'paused', { tier: 'paused', machine: 'paused' }, {}, /parked/],
    ['use', 'stopped', { tier: 'stopped' }, {}, /parked/],
    ['discard', 'still being prepared', { state: 'preparing' }, {}, /interrupted/],
    ['discard', 'without a record', { parked: undefined }, {}, /missing/],
    ['discard', 'paused without a process', { tier: 'paused', machine: 'off' }, {}, /off, not paused/],
    ['discard', 'paused that runs', { tier: 'paused', machine: 'running' }, {}, /running/],
    ['discard', 'frozen with a process', { machine: 'paused' }, {}, /expected none/],
    ['discard', 'stopped that runs', { tier: 'stopped', machine: 'running' }, {}, /expected none/],
    ['discard', 'whose certificate has expired', inMs(-1), {}, /certificate/],
    ['discard', 'whose certificate is about to', inMs(9 * 60_000), {}, /certificate/],
    ['use', 'stopped, and gets a new one when it boots', { tier: 'stopped', ...inMs(9 * HOUR_MS) }, {}, /parked/],
    ['refresh', 'with a third of its certificate left', inMs(HOUR_MS / 2), {}, /third/],
    ['discard', 'made from another image', {}, { image: 'v2' }, /made from v1/],
    ['discard', 'made from an older model', {}, { modelRevision: 4 }, /before the last change/],
    ['discard', 'that is too old', {}, { maxAgeMs: HOUR_MS - 1 }, /1h ago, longer/],
    ['use', 'as old as is allowed', {}, { maxAgeMs: HOUR_MS }, /parked/],
    ['refresh', 'with another document', {}, { document: 'e' }, /document has changed/],
    ['use', 'parked before the clock was set back by a minute', {}, { nowMs: PARKED_MS - 60_000 }, /^parked 0/],
    ['discard', 'parked before the clock was set back by more', {}, { nowMs: PARKED_MS - 60_001 }, /was set back/],
    ['discard', 'stopped before that', { tier: 'stopped' }, { nowMs: PARKED_MS - 60_001 }, /was set back/],
    ['discard', 'parked in an absurd future', { parked: { ...parked, parkedMs: 8.7e15 } }, {}, /was set back/],
    [
      'discard',
      'from before the clock was set back',
      setBack('frozen'),
      { nowMs: NOW_MS - 3 * HOUR_MS },
      /not valid yet/,
    ],
    ['discard', 'stopped before that', setBack('stopped'), { nowMs: NOW_MS - 3 * HOUR_MS }, /not valid yet/],
    ['discard', 'paused before the API server moved', paused(1), { apiServer: at(2) }, /API server has moved/],
    ['discard', 'paused by an older version', paused(undefined), { apiServer: at(2) }, /API server has moved/],
    ['use', 'paused, with the API server where it was', paused(2), { apiServer: at(2) }, /parked/],
    ['use', 'paused, with an unknown cluster', paused(2), {}, /parked/],
    [
      'use',
      'frozen before the API server moved',
      { parked: { ...parked, apiServer: at(1) } },
      { apiServer: at(2) },
      /^/,
    ],
    ['use', 'without a certificate', { parked: withoutEnd() }, {}, /parked/],
  ])('is to %s: %s', (verdict, _what, member, changes, why) => {
    const judged = judgeMember({ ...frozen, ...member }, { ...pool, ...changes });
    expect(judged).toEqual({ verdict, why: expect.stringMatching(why) });
  });

  it('is never used with a process in the wrong state, whatever else is true', () => {
    const state = fc.constantFrom<MemberFacts['machine'][]>('off', 'starting', 'running', 'paused', 'full', 'unknown');
    fc.assert(
      fc.property(fc.constantFrom(...STANDBY_TIERS), state, fc.integer(), (tier, machine, ageMs) => {
        const { verdict } = judgeMember({ ...frozen, tier, machine }, { ...pool, nowMs: NOW_MS + ageMs });
        if (machine !== (tier === 'paused' ? 'paused' : 'off')) expect(verdict).toBe('discard');
      }),
    );
  });
});

function at(port: number) {
  return { host: '127.0.0.1', port };
}

function paused(port: number | undefined): Partial<MemberFacts> {
  const record: ParkedRecord = { ...parked, tier: 'paused', ...(port !== undefined && { apiServer: at(port) }) };
  return { tier: 'paused', machine: 'paused', parked: record };
}

function setBack(tier: 'frozen' | 'stopped'): Partial<MemberFacts> {
  return { tier, parked: { ...parked, tier, certificateStartMs: NOW_MS - 2 * HOUR_MS } };
}

function withoutEnd(): ParkedRecord {
  const { certificateEndMs: _, ...rest } = parked;
  return rest;
}
