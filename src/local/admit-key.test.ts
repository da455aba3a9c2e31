import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from '../vms/pools.ts';
import { poolKey } from '../vms/qemu/home/layout.ts';
import { admitKey } from './admit-key.ts';
import { type FakePools, fakePools } from './testing.ts';

const HOST_KEYS = 'ssh-ed25519 AAAAC3Nz= root@p\n* ssh-ed25519 evil\n';
const { signal } = new AbortController();

let home: string;
let pools: FakePools;
let instance: Instance;
let folder: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'headstart-admit-'));
  pools = fakePools(home);
  const { ref } = await pools.pools.createPool({
    ...{ name: 'p', extensions: [], services: [], tags: {}, size: { cpus: 1, memoryMb: 512, diskGb: 4 } },
    image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: '1' },
  });
  instance = (await pools.pools.setCapacity(ref, 1))[0]!;
  folder = (await pools.guests.readDetails(instance.ref)).folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(dirname(dirname(folder)), `${poolKey}.pub`), 'ssh-ed25519 AAAApool pool p\n');
  pools.guest = () => ({ stdout: Buffer.from(HOST_KEYS) });
});
afterEach(() => rmSync(home, { recursive: true }));

const admit = () => admitKey(pools, instance, signal);
const refusal = (why: string) => ({
  code: 'pool/no-ssh',
  message: expect.stringContaining(`cannot connect to ${instance.computerName}: ${why}`),
});

describe('the key of a pool', () => {
  it('is authorized through the guest agent, and the host keys are saved', async () => {
    const target = await admit();
    expect(target).toMatchObject({ name: instance.computerName, port: 40022 });
    expect(pools.ran[0]!.input).toContain('ssh-ed25519 AAAApool');
    expect(readFileSync(target.knownHostsFile, 'utf8')).toBe(`${instance.computerName} ssh-ed25519 AAAAC3Nz=\n`);
  });

  it('that does not exist is reported', async () => {
    rmSync(join(dirname(dirname(folder)), `${poolKey}.pub`));
    await expect(admit()).rejects.toMatchObject(refusal('the key of its pool cannot be read (ENOENT)'));
  });

  it('is not authorized when the instance has no ssh port', async () => {
    const { readDetails } = pools.guests;
    pools.guests.readDetails = async (ref) => {
      const { sshPort: _, ...place } = await readDetails(ref);
      return place;
    };
    await expect(admit()).rejects.toMatchObject(refusal('its ssh port is not forwarded'));
    expect(pools.ran).toEqual([]);
  });

  it.each([
    [{ exitCode: 1, stderr: Buffer.from('no space\n') }, 'no space'],
    [{ exitCode: 7 }, 'exit code 7'],
    [{ stdout: Buffer.from('hello\n') }, 'its ssh server has no host key yet'],
  ])('is not authorized when the guest answers %j', async (answer, why) => {
    pools.guest = () => answer;
    await expect(admit()).rejects.toMatchObject(refusal(why));
  });
});
