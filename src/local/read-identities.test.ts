import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../base/errors.ts';
import { judgeDistinct } from '../identity/judge-distinct.ts';
import { anIdentity, fakeMachine } from '../identity/testing.ts';
import type { Instance } from '../vms/pools.ts';
import { keepIdentity } from '../vms/qemu/standby/identity-record.ts';
import { readIdentities, readPoolIdentities } from './read-identities.ts';
import { type FakePools, fakePools } from './testing.ts';

let folder: string;
let pools: FakePools;
let instances: Instance[];
const output = fakeMachine('node').output();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-identities-'));
  pools = fakePools(folder);
  const image = { kind: 'version', id: await pools.addImage('headstart', 'debian-12', '1') } as const;
  const size = { cpus: 1, memoryMb: 64, diskGb: 1 };
  const pool = await pools.pools.createPool({ name: 'p', image, extensions: [], size, services: [], tags: {} });
  await pools.pools.setCapacity(pool.ref, 2);
  instances = await pools.pools.listInstances(pool.ref);
  pools.guest = () => ({ stdout: Buffer.from(output) });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the identities of local instances', () => {
  it('come from the guests that run, each with its clock', async () => {
    const read = await readIdentities(pools, instances, {});
    expect(read.map(({ name }) => name)).toEqual(instances.map(({ computerName }) => computerName));
    for (const { clock } of read) expect(clock?.errorMs).toBeGreaterThanOrEqual(0);
    expect(judgeDistinct(read).shared.map(({ item }) => item)).toContain('machine-id'); // both print the same
    expect(pools.ran.map(({ argv }) => argv[0])).toEqual(['/bin/sh', '/bin/sh']);
  });

  it('of a parked instance are those that were kept', async () => {
    const [parked] = await parkFirst();
    const read = await readIdentities(pools, [parked!], {});
    expect(read).toEqual([{ ...anIdentity('x'), name: parked!.computerName, clock: undefined }]);
    expect(pools.ran).toEqual([]);
  });

  it('of a claimed instance include the random bytes from before it was parked', async () => {
    const [first] = instances as [Instance, Instance];
    await readAndKeep(first);
    const { shared } = judgeDistinct(await readIdentities(pools, [first], {}));
    expect(shared.map(({ item, what }) => [item, what])).toEqual([
      ['random-bytes', `${first.computerName} drew random bytes a second time: fresh, when it was parked`],
    ]);
  });

  it.each([
    ['is off and was never parked', 'pool/not-running', 'stopped', {}],
    ['does not answer', 'pool/not-answering', 'running', new TransientError('none', { code: 'vms/not-answering' })],
    ['cannot run the script', 'pool/no-identity', 'running', { exitCode: 127 }],
  ] as const)('are an error when an instance %s', async (_, code, power, answer) => {
    pools.guest = () => answer;
    const one = { ...instances[0]!, power };
    await expect(readIdentities(pools, [one], {})).rejects.toMatchObject({ code });
  });

  it('of a pool include its parked instances, and those that are off as unknown', async () => {
    const [first, second] = instances as [Instance, Instance];
    const { pool } = first.ref;
    const policy = { counts: { paused: 0, frozen: 2, stopped: 0 } };
    const member = ({ ref }: Instance, state: 'ready' | 'preparing') =>
      ({ instance: ref, tier: 'frozen', state, why: '' }) as const;
    pools.standbyStates.set('p', { policy, members: [member(first, 'ready'), member(second, 'preparing')] });
    const [parked] = await parkFirst();
    pools.pools.readInstance = async () => ({ ...parked!, computerName: 'p-7' });
    pools.pools.listInstances = async () => [{ ...second, power: 'stopped' }];
    const read = await readPoolIdentities(pools, pool, {});
    expect(read.map(({ name, facts }) => [name, facts['host-name']])).toEqual([
      [second.computerName, { unknown: 'the machine is stopped' }],
      ['p-7', { values: [{ value: 'host-name of x' }] }],
    ]);
  });
});

async function readAndKeep(instance: Instance): Promise<void> {
  const [identity] = await readIdentities(pools, [instance], {});
  keepIdentity(await folderOf(instance), { takenMs: 1, identity: identity! });
}

async function parkFirst(): Promise<Instance[]> {
  const [first] = instances as [Instance, Instance];
  const { clock: _, ...identity } = anIdentity('x');
  keepIdentity(await folderOf(first), { takenMs: 1, identity });
  return [{ ...first, power: 'stopped' }];
}

async function folderOf({ ref }: Instance): Promise<string> {
  const { folder: own } = await pools.guests.readDetails(ref);
  mkdirSync(own, { recursive: true });
  return own;
}
