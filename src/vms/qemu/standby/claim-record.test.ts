import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceFiles, poolRef } from '../home/layout.ts';
import { type ClaimFacts, readClaim, writeClaim } from './claim-record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-claim-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const atMs = Date.UTC(2026, 10, 15);
const ref = { pool: poolRef('web'), id: 'web-000001' };
const steps: ClaimFacts['steps'] = [
  { name: 'claimed', atMs },
  { name: 'thawed', atMs: atMs + 500 },
];

describe('the record of a claim', () => {
  it.each<[string, ClaimFacts, ReturnType<typeof readClaim>]>([
    [
      'of an instance that continued',
      { ref, tier: 'frozen', parked: { parkedMs: atMs - 1 }, steps },
      { claimedMs: atMs, thawedMs: atMs + 500, parkedMs: atMs - 1 },
    ],
    [
      'of one that booted, and whose record of being parked was lost',
      { ref, tier: 'cold', steps: steps.slice(0, 1) },
      { claimedMs: atMs, thawedMs: undefined, parkedMs: undefined },
    ],
    ['without the time of the claim', { ref, tier: 'frozen', steps: steps.slice(1) }, undefined],
  ])('%s is read as it was written', (_what, facts, expected) => {
    writeClaim(folder, facts);
    expect(readClaim(folder)).toEqual(expected);
  });

  it.each(['{', '{"kind":"Pool","steps":[]}', '{"kind":"Claim","steps":[{"name":"claimed","at":"noon"}]}'])(
    'is unknown if it is damaged: %s',
    (text) => {
      writeFileSync(join(folder, instanceFiles.claim), text);
      expect(readClaim(folder)).toBeUndefined();
    },
  );

  it('is unknown if there is none', () => expect(readClaim(folder)).toBeUndefined());
});
