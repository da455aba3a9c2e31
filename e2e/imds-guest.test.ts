// e2e/imds-guest.test.ts: does Debian's cloud-init in a real guest provision from src/vms/qemu/metadata-service, and is everything else unreachable?
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestCommands } from '../src/cli/compose/guest-commands.ts';
import type { InstanceRef, PoolRef } from '../src/vms/pools.ts';
import type { QemuProvider } from '../src/vms/qemu/local-provider.ts';
import { parseHealth } from '../src/vms/qemu/metadata-service/health.ts';
import { createQemuProvider } from '../src/vms/qemu/qemu-provider.ts';
import { ensureBaseImage } from './programs/ensure-base.ts';

const BASE_MS = 30 * 60_000;
const BOOT_MS = 15 * 60_000;
const ASK_MS = 5 * 60_000;
const SERVICE = '168.0.0.100';
const POOL: PoolRef = { id: 'pools/imds-guest', name: 'imds-guest' };
const CUSTOM_DATA = '#cloud-config\nwrite_files: [{path: /etc/from-custom-data, content: "it is here"}]\n';

let provider: QemuProvider;
let guest: InstanceRef;
let folder: string;
let startedMs: number;
let server: Server;
let port: number;

beforeAll(async () => {
  const { imageId, ...deps } = await ensureBaseImage();
  server = createServer((_request, response) => response.end('the service of this machine'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  provider = createQemuProvider({ ...deps, ...guestCommands(process.env) });
  await provider.pools.deletePool(POOL); // left by a killed run
  await provider.pools.createPool({
    name: POOL.name,
    image: { kind: 'version', id: imageId },
    // No user data at first: cloud-init would use it and ignore custom data.
    customData: Buffer.from(CUSTOM_DATA).toString('base64'),
    extensions: [],
    size: { cpus: 2, memoryMb: 1024, diskGb: 4 },
    services: [{ address: SERVICE, port: 80, to: { host: '127.0.0.1', port } }],
    tags: { team: 'payments' },
  });
  startedMs = Date.now();
  const [made] = await provider.pools.setCapacity(POOL, 1);
  guest = made!.ref;
  ({ folder } = await provider.guests.readDetails(guest));
  await provider.guests.awaitUp(guest, { deadlineMs: BOOT_MS });
}, BASE_MS + BOOT_MS);

afterAll(async () => {
  server?.close();
  await provider?.pools.deletePool(POOL);
}, ASK_MS);

/** The output of a shell in the guest, line by line; a failed command is a line, too. */
async function inGuest(script: string): Promise<string[]> {
  const { stdout, stderr } = await provider.guests.runInGuest(guest, ['/bin/sh', '-c', script], { deadlineMs: ASK_MS });
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
}

const reports = () => parseHealth(readFileSync(join(folder, 'health.jsonl'), 'utf8'));

describe('cloud-init in a real guest', { timeout: ASK_MS + 60_000 }, () => {
  it('detects Azure, and finishes provisioning', async () => {
    // Reads its files, because the program takes half a minute on an emulated processor.
    const [cloud, ...result] = await inGuest('cat /run/cloud-init/cloud-id; echo; cat /run/cloud-init/result.json');
    expect(cloud).toBe('azure');
    expect(JSON.parse(result.join('\n')).v1).toEqual({
      datasource: expect.stringMatching(/^DataSourceAzure /),
      errors: [],
    });
  });

  it('sets the name, the user and the key from the metadata, and runs the custom data of the provisioning disk', async () => {
    const { publicKeys, name } = JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'));
    expect(
      await inGuest('hostname; id -un headstart; cat /home/headstart/.ssh/authorized_keys /etc/from-custom-data'),
    ).toEqual([name, 'headstart', ...publicKeys, 'it is here']);
    expect(name).toBe(guest.id);
  });

  it('reports ready once, with a time on this machine’s clock', () => {
    const [report, ...more] = reports();
    expect({ state: report?.state, more }).toEqual({ state: 'Ready', more: [] });
    expect(report?.atMs).toBeGreaterThan(startedMs);
    expect(report?.atMs).toBeLessThan(Date.now());
  });
});

describe('the metadata service in a real guest', { timeout: ASK_MS + 60_000 }, () => {
  const IMDS = 'http://169.254.169.254/metadata';
  const USER_DATA = `curl -s -H Metadata:true '${IMDS}/instance/compute/userData?api-version=2021-01-01&format=text'`;

  it('has the same VM id as the firmware', async () => {
    const [firmware, service] = await inGuest(
      `cat /sys/class/dmi/id/product_uuid; curl -s -H Metadata:true '${IMDS}/instance/compute/vmId?api-version=2021-01-01&format=text'`,
    );
    expect(service).toBe(firmware);
  });

  it('shows user data that changes while the guest runs', async () => {
    const shown = [await inGuest(USER_DATA)];
    for (const text of ['first', 'second']) {
      await provider.pools.setUserData(guest, Buffer.from(text).toString('base64'));
      shown.push(await inGuest(`${USER_DATA} | base64 --decode`));
    }
    expect(shown).toEqual([[], ['first'], ['second']]);
  });

  it('answers five requests at once, and several on one connection', async () => {
    const once = `curl -s -H Metadata:true -o /dev/null -w '%{http_code}\\n' ${IMDS}/versions`;
    expect(await inGuest(`for i in 1 2 3 4 5; do ${once} & done; wait`)).toEqual(Array(5).fill('200'));
    const connects = `curl -s -H Metadata:true -w '%{num_connects}\\n' -o /dev/null ${IMDS}/versions -o /dev/null ${IMDS}/versions`;
    expect(await inGuest(connects)).toEqual(['1', '0']);
  });

  it('refuses what Azure refuses', async () => {
    const ask = (what: string) => `curl -s -o /dev/null -w '%{http_code}\\n' ${what}`;
    expect(
      await inGuest(
        [
          ask(`'${IMDS}/instance?api-version=2021-08-01'`),
          ask(`-H Metadata:true ${IMDS}/instance`),
          ask(`-H Metadata:true -H X-Forwarded-For:10.0.0.1 ${IMDS}/versions`),
          ask(`-H Metadata:true '${IMDS}/identity/oauth2/token?api-version=2018-02-01&resource=x'`),
          ask(`-H Metadata:true 'http://168.63.129.16/metadata/instance?api-version=2021-08-01'`),
          ask(`-X POST -H x-ms-version:2012-11-30 -d nonsense 'http://168.63.129.16/machine?comp=health'`),
        ].join('; '),
      ),
    ).toEqual(['400', '400', '400', '400', '404', '400']);
    expect(reports()).toHaveLength(1);
  });
});

describe('the network of a real guest', { timeout: ASK_MS + 60_000 }, () => {
  it('has the services of its pool', async () => {
    expect(await inGuest(`curl -s http://${SERVICE}/`)).toEqual(['the service of this machine']);
  });

  it('reaches nothing else: no host, no other guest, no name server, no internet', async () => {
    const places = [
      `http://168.0.0.2:${port}`, // slirp's address of this machine's loopback
      `http://127.0.0.1:${port}`,
      `http://10.0.2.2:${port}`,
      `http://${SERVICE}:${port}`,
      'http://168.63.129.16:32526',
      'http://169.254.169.254:8080',
      'http://8.8.8.8',
      'http://1.1.1.1:53',
    ];
    const ask = (url: string) => `curl -s -m 10 -o /dev/null ${url}; echo $?`;
    const codes = await inGuest(places.map(ask).join('; '));
    for (const [i, code] of codes.entries()) expect(['7', '28'], places[i]).toContain(code); // refused, or no answer
    expect(codes).toHaveLength(places.length);
    expect(await inGuest('timeout 30 getent hosts deb.debian.org || echo unknown')).toEqual(['unknown']);
  });
});
