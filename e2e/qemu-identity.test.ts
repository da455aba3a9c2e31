// e2e/qemu-identity.test.ts: whose identity is on a captured disk, and on its clones? Real guests and disks, inspected from outside, byte by byte.
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { guestCommands } from '../src/cli/compose/guest-commands.ts';
import { parseCheckResult, RESULT_PATH } from '../src/clone-check/result.ts';
import { parseSealResult, SCRUB_ITEMS, scrubScript, sealScript } from '../src/clone-check/seal-script.ts';
import type { Definition } from '../src/vms/gallery.ts';
import type { InstanceRef, PoolRef } from '../src/vms/pools.ts';
import { versionFileNames, versionFolder } from '../src/vms/qemu/home/layout.ts';
import type { QemuProvider } from '../src/vms/qemu/local-provider.ts';
import { createQemuProvider } from '../src/vms/qemu/qemu-provider.ts';
import { scrubDisk } from '../src/vms/qemu/scrub/scrub-disk.ts';
import { COPY_ROOT } from '../src/vms/qemu/scrub/scrub-init.ts';
import { ensureBaseImage } from './programs/ensure-base.ts';

const BASE_MS = 30 * 60_000;
const BOOT_MS = 15 * 60_000;
const ASK_MS = 5 * 60_000;
const POOL: PoolRef = { id: 'pools/identity', name: 'identity' };
const GALLERY = 'identity';
const SNAPSHOT = 'identity-donor';
const [SCRUBBED, PLAIN] = ['1.0.1', '1.0.2'] as const;
/** Written on the donor and deleted again before it is captured: only free blocks have it. */
const DELETED = 'written-once-and-deleted-before-the-capture';
/** On the console while a clone makes its keys: the donor's keys are deleted, and its own do not exist yet. */
const IN_THE_MIDDLE = 'the clone check makes keys';

let home: string;
/** One captures copies unchanged, the other scrubs them. */
let plain: QemuProvider;
let scrubbing: QemuProvider;
let donor: InstanceRef;
let before: Identity;
let definition: Definition;
let snapshotId: string;

interface Identity {
  machineId: string;
  hostName: string;
  /** Private keys, whole. */
  hostKeys: string[];
  instanceId: string;
  kubelet: string;
  lease: string;
}

beforeAll(
  async () => {
    const { imageId, ...deps } = await ensureBaseImage();
    home = deps.home;
    const commands = { ...deps, ...guestCommands(process.env) };
    plain = createQemuProvider(commands);
    scrubbing = createQemuProvider({
      ...commands,
      cloudInit: 'off',
      scrub: (copy, call) =>
        scrubDisk(
          { ...copy, script: { text: scrubScript(COPY_ROOT), items: SCRUB_ITEMS }, cloudInit: 'off' },
          { run: deps.run, deadlineMs: BOOT_MS, ...call },
        ),
    });
    await cleanUp(); // after a run that was killed
    await plain.pools.createPool({
      name: POOL.name,
      image: { kind: 'version', id: imageId },
      extensions: [],
      size: { cpus: 2, memoryMb: 1024, diskGb: 4 },
      services: [],
      tags: {},
    });
    donor = await grow(1);
    await plain.guests.awaitUp(donor, { deadlineMs: BOOT_MS });
    await inGuest(donor, PLANT);
    before = await identityOf(donor);
    const { vmId } = (await plain.pools.readInstance(donor))!;
    const sealed = parseSealResult(await inGuest(donor, sealScript({ vmId })));
    expect(sealed.problems).toEqual([]);
    await plain.pools.stop(donor);
    await plain.snapshots.createSnapshot({
      name: SNAPSHOT,
      sourceDiskId: (await plain.pools.readInstance(donor))!.osDisk!.id,
      region: 'local',
      tags: {},
    });
    snapshotId = (await plain.snapshots.readSnapshot(SNAPSHOT))!.id;
    const base = (await plain.gallery.readDefinition('headstart', 'debian-12'))!;
    definition = await plain.gallery.ensureDefinition(
      { ...base, gallery: GALLERY, name: 'donor', osState: 'specialized' },
      'local',
    );
  },
  BASE_MS + 2 * BOOT_MS,
);

afterAll(cleanUp, BOOT_MS);

async function cleanUp(): Promise<void> {
  if (!plain) return;
  await plain.pools.deletePool(POOL);
  await plain.snapshots.deleteSnapshot(SNAPSHOT);
  const made = await plain.gallery.readDefinition(GALLERY, 'donor');
  if (!made) return;
  for (const version of await plain.gallery.listVersions(made)) await plain.gallery.deleteVersion(made, version.name);
  await plain.gallery.deleteDefinition(made);
  await plain.gallery.deleteGallery(GALLERY);
}

describe('a donor that was sealed and captured', { timeout: 2 * BOOT_MS }, () => {
  it('has its whole identity on an unscrubbed copy, free blocks included, and nothing of it on a scrubbed one', async () => {
    const wanted = needlesOf(before);
    await begin(plain, PLAIN);
    expect(await absentFrom(PLAIN, wanted)).toEqual([]);
    await begin(scrubbing, SCRUBBED);
    expect(await absentFrom(SCRUBBED, wanted)).toEqual(Object.keys(wanted));
  });
});

describe('clones of the scrubbed copy, without cloud-init', { timeout: 2 * BOOT_MS }, () => {
  it('start, are healthy, and have their own name and network', async () => {
    const clone = await grownFrom(SCRUBBED, 2);
    await plain.guests.awaitUp(clone, { deadlineMs: BOOT_MS });
    expect(
      await inGuest(clone, 'systemctl is-system-running; hostname; systemctl is-active ssh systemd-networkd'),
    ).toBe(`running\n${clone.id}\nactive\nactive\n`);
    await expectItsOwn(clone, [before]);
    await plain.pools.deleteInstance(clone);
  });
});

describe('a clone of the unscrubbed copy: the clone check alone', { timeout: 3 * BOOT_MS }, () => {
  let clone: InstanceRef;

  it('replaces the identity of the donor at the next boot when the power is cut in the middle of the check', async () => {
    clone = await grownFrom(PLAIN, 2);
    await cutPowerWhen(clone, IN_THE_MIDDLE);
    expect((await plain.pools.readInstance(clone))!.power).toBe('stopped');
    await plain.pools.start(clone);
    await plain.guests.awaitUp(clone, { deadlineMs: BOOT_MS });
    await expectItsOwn(clone, [before]);
    // Both boots made the same key: the first was cut off while the donor still owned the disk.
    expect(before.hostKeys).toHaveLength(1);
    const { consoleLog } = await plain.guests.readDetails(clone);
    expect(readFileSync(consoleLog, 'utf8').split(IN_THE_MIDDLE)).toHaveLength(3);
  });

  it('runs the check before everything that would use the identity of the donor', async () => {
    const checkedUs = await timeOf(clone, 'headstart-clone-check.service', 'ActiveEnterTimestampMonotonic');
    expect(checkedUs).toBeGreaterThan(0);
    for (const unit of ['systemd-networkd', 'dbus', 'ssh', 'cloud-init-local', 'cloud-init']) {
      const startedUs = await timeOf(clone, `${unit}.service`, 'InactiveExitTimestampMonotonic');
      expect(startedUs, unit).toBeGreaterThanOrEqual(checkedUs);
    }
    await plain.pools.deleteInstance(clone);
  });
});

/** What nodes have and a fresh guest lacks: a kubelet's certificate, an old lease. And a mark on the console while the clone check runs. */
const PLANT = `set -e
mkdir -p /var/lib/kubelet/pki /var/lib/dhcp /opt/witness /etc/systemd/system/headstart-clone-check.service.d
cd /var/lib/kubelet/pki
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -keyout key -out certificate \\
  -subj "/O=system:nodes/CN=system:node:$(hostname)" 2>/dev/null
cat certificate key >kubelet-client-current.pem
rm certificate key
echo "lease { option host-name \\"$(hostname)\\"; # $(cat /proc/sys/kernel/random/uuid)" >/var/lib/dhcp/dhclient.leases
for number in 1 2 3; do echo ${DELETED} >/var/lib/deleted-$number; done
sync
rm /var/lib/deleted-*
cat >/opt/witness/ssh-keygen <<'end'
#!/bin/sh
echo '${IN_THE_MIDDLE}' >/dev/console
sleep 2
exec /usr/bin/ssh-keygen "$@"
end
chmod +x /opt/witness/ssh-keygen
printf '[Service]\\nEnvironment=PATH=/opt/witness:/usr/sbin:/usr/bin:/sbin:/bin\\n' \\
  >/etc/systemd/system/headstart-clone-check.service.d/witness.conf
sync
`;

async function inGuest(instance: InstanceRef, script: string): Promise<string> {
  const ran = await plain.guests.runInGuest(instance, ['/bin/sh', '-s'], { deadlineMs: ASK_MS, input: script });
  expect(ran.exitCode, `${ran.stdout}${ran.stderr}`).toBe(0);
  return ran.stdout.toString();
}

async function identityOf(instance: InstanceRef): Promise<Identity> {
  const text = await inGuest(
    instance,
    `for file in /etc/machine-id /proc/sys/kernel/hostname /var/lib/cloud/data/instance-id /var/lib/kubelet/pki/kubelet-client-current.pem \\
      /var/lib/dhcp/dhclient.leases /etc/ssh/ssh_host_*_key; do
      echo "== $file"; cat "$file" 2>/dev/null || echo none; done`,
  );
  const parts = text
    .split(/^== .+\n/m)
    .slice(1)
    .map((part) => part.trim());
  const [machineId, hostName, instanceId, kubelet, lease, ...hostKeys] = parts as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { machineId, hostName, hostKeys, instanceId, kubelet, lease };
}

/** Byte patterns to search for on a disk, by name. A key is recognised by a line from its middle. */
function needlesOf(identity: Identity): Record<string, string> {
  const keys = identity.hostKeys.map((key, index) => [`host key ${index}`, key.split('\n').at(-3)!] as const);
  expect(keys.length).toBeGreaterThan(0);
  return {
    'machine-id': identity.machineId,
    'host name': identity.hostName,
    'cloud-init instance id': identity.instanceId,
    'kubelet certificate': identity.kubelet.split('\n')[3]!,
    'kubelet key': identity.kubelet.split('\n').at(-3)!,
    lease: identity.lease,
    'deleted file': DELETED,
    ...Object.fromEntries(keys),
  };
}

async function absentFrom(version: string, needles: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-raw-'));
  try {
    const raw = join(folder, 'disk.raw');
    const disk = join(versionFolder(home, { gallery: GALLERY, definition: 'donor', version }), versionFileNames.disk);
    execFileSync('qemu-img', ['convert', '-O', 'raw', disk, raw]);
    const missing = new Map(Object.entries(needles).map(([what, text]) => [what, Buffer.from(text)]));
    const overlap = Math.max(...[...missing.values()].map((bytes) => bytes.length));
    let tail = Buffer.alloc(0);
    for await (const chunk of createReadStream(raw, { highWaterMark: 4 << 20 })) {
      const bytes = Buffer.concat([tail, chunk as Buffer]);
      for (const [what, needle] of missing) if (bytes.includes(needle)) missing.delete(what);
      tail = bytes.subarray(-overlap);
    }
    return Object.keys(needles).filter((what) => missing.has(what));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function begin(provider: QemuProvider, name: string): Promise<void> {
  const terms = { region: 'local', replicas: 1, redundancy: 'local', isExcludedFromLatest: false, tags: {} } as const;
  await provider.gallery.beginVersion({ definition, name, snapshotId, ...terms });
}

async function grow(count: number): Promise<InstanceRef> {
  const [born] = await plain.pools.setCapacity(POOL, count);
  return born!.ref;
}

/** Starts the instance without waiting for it. */
async function grownFrom(version: string, count: number): Promise<InstanceRef> {
  const pool = (await plain.pools.readPool(POOL))!;
  const image = { kind: 'version', id: `${definition.id}/${version}` } as const;
  await plain.publisher.changeModel(pool, { image, bootstrap: 'none', extensions: { keep: [], add: [] }, tags: {} });
  return grow(count);
}

/** No identity of the others, and a record of the clone check that confirms it. */
async function expectItsOwn(clone: InstanceRef, others: readonly Identity[]): Promise<Identity> {
  const own = await identityOf(clone);
  expect(own.hostName).toBe(clone.id);
  expect(own).toMatchObject({ kubelet: 'none', lease: 'none' });
  expect(own.machineId).toMatch(/^[0-9a-f]{32}$/);
  expect(own.hostKeys.length).toBeGreaterThan(0);
  for (const other of others) {
    expect(own.machineId).not.toBe(other.machineId);
    expect(own.hostName).not.toBe(other.hostName);
    for (const key of own.hostKeys) expect(other.hostKeys).not.toContain(key);
  }
  const result = parseCheckResult(await inGuest(clone, `cat ${RESULT_PATH}`));
  expect(result?.vmId).toBe((await plain.pools.readInstance(clone))!.vmId);
  expect(result?.items.filter(({ state }) => state === 'failed')).toEqual([]);
  return own;
}

async function timeOf(instance: InstanceRef, unit: string, property: string): Promise<number> {
  return Number(await inGuest(instance, `systemctl show --value --property ${property} ${unit}`));
}

/** kill -9 of QEMU: the guest loses what it had not written to disk. */
async function cutPowerWhen(instance: InstanceRef, line: string): Promise<void> {
  const { folder, consoleLog } = await plain.guests.readDetails(instance);
  const untilMs = systemClock.nowMs() + BOOT_MS;
  while (!readFileSync(consoleLog, 'utf8').includes(line)) {
    expect(systemClock.nowMs(), 'the clone check did not begin').toBeLessThan(untilMs);
    await systemClock.sleep(50);
  }
  process.kill(Number(readFileSync(join(folder, 'qemu.pid'), 'utf8')), 'SIGKILL');
}
