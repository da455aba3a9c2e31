import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryInput } from '../boot/load/input.ts';
import { claimSource } from '../boot/load/sources/platform/claim.ts';
import type { VmStart } from '../boot/load/sources/platform/vm-start.ts';
import type { Instance } from '../vms/pools.ts';
import { writeClaim } from '../vms/qemu/standby/claim-record.ts';
import { CLAIM_MEMBER, collectClaim } from './collect-claim.ts';
import { type FakePools, fakePools } from './testing.ts';

const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';
const { signal } = new AbortController();
let home: string;
let pools: FakePools;
let instance: Instance;
let folder: string;
let start: VmStart;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'collect-claim-'));
  pools = fakePools(home);
  const { ref } = await pools.pools.createPool({
    name: 'p',
    image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: '1' },
    extensions: [],
    size: { cpus: 1, memoryMb: 512, diskGb: 4 },
    services: [],
    tags: {},
  });
  instance = (await pools.pools.setCapacity(ref, 1))[0]!;
  const details = await pools.guests.readDetails(instance.ref);
  folder = details.folder;
  mkdirSync(folder, { recursive: true });
  const startedMs = details.startedMs!;
  const nowMs = startedMs + 20_000;
  start = {
    ...{ apiVersion: 'headstart.dev/v1', kind: 'VmStart', vmId: instance.vmId, bootId: BOOT_ID, startedMs, health: [] },
    clock: { guestMs: nowMs, hostBeforeMs: nowMs - 10, hostAfterMs: nowMs + 10, uptimeMs: 62_000 },
  };
  const hostBeforeMs = nowMs + 110;
  pools.guests.readClock = async () => ({ guestMs: hostBeforeMs, hostBeforeMs, hostAfterMs: hostBeforeMs + 10 });
});
afterEach(() => rmSync(home, { recursive: true }));

const claimedAt = (offsetMs: number) =>
  writeClaim(folder, {
    ref: instance.ref,
    tier: 'frozen',
    parked: { parkedMs: start.startedMs + offsetMs - 7_380_000 },
    steps: [
      { name: 'claimed', atMs: start.startedMs + offsetMs - 200 },
      { name: 'thawed', atMs: start.startedMs + offsetMs },
    ],
  });

it('has what the provider wrote, and readings of both clocks that the source can use', async () => {
  claimedAt(5);
  const claim = (await collectClaim(pools, instance, start, signal))!;
  expect(claim.claimedMs).toBe(start.startedMs - 195);
  const [{ name, bytes }] = claim.members as [{ name: string; bytes: Buffer }];
  expect(name).toBe(CLAIM_MEMBER);
  const [read] = claimSource.parse(memoryInput(name, bytes));
  expect(read).toMatchObject({
    ...{ notes: [], bootId: BOOT_ID },
    claim: { facts: { tier: 'frozen', instance: instance.ref.id, parkedUs: 7_379_800_000 } },
  });
  // The uptime of 62 s was read 20.06 s after the start, ± 0.05 s.
  expect(read!.claim!.facts).toMatchObject({ ranUs: 41_945_000, errorUs: 61_000 });
});

it.each(['stopped', 'cold'] as const)('is undefined for a claim that booted (%s)', async (tier) => {
  const steps = [{ name: 'claimed' as const, atMs: start.startedMs - 200 }];
  for (const atMs of [start.startedMs - 200, start.startedMs + 200]) {
    writeClaim(folder, { ref: instance.ref, tier, parked: { parkedMs: 1 }, steps: [{ ...steps[0]!, atMs }] });
    expect(await collectClaim(pools, instance, start, signal)).toBeUndefined();
  }
});

it('is undefined without a claim, and for a claim from before the last start', async () => {
  expect(await collectClaim(pools, instance, start, signal)).toBeUndefined();
  claimedAt(-60_000);
  expect(await collectClaim(pools, instance, start, signal)).toBeUndefined();
});

it.each(['', '{"kind":"Cl', '{"kind":"Claim","steps":{}}', '{"kind":"Claim","steps":[null]}'])(
  'has no claim, and says why, when its record is %j',
  async (text) => {
    writeFileSync(join(folder, 'claim.json'), text);
    const why = expect.stringContaining('claim.json is not a valid record');
    expect(await collectClaim(pools, instance, start, signal)).toEqual({
      ...{ claimedMs: start.startedMs, members: [] },
      missed: [{ name: CLAIM_MEMBER, why }],
    });
  },
);
