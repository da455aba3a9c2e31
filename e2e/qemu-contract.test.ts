// e2e/qemu-contract.test.ts: do real QEMU processes pass the four contracts, and what is left when they, or their commands, are killed? No operating
// system: the firmware finds nothing to boot, which is all the contracts need.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { gallerySuite } from '../src/vms/gallery.suite.ts';
import type { Definition } from '../src/vms/gallery.ts';
import type { Lab } from '../src/vms/lab.testing.ts';
import { poolsSuite } from '../src/vms/pools.suite.ts';
import type { Instance, PoolRef } from '../src/vms/pools.ts';
import { publisherSuite } from '../src/vms/publisher.suite.ts';
import { instanceFiles, providerId } from '../src/vms/qemu/home/layout.ts';
import { instanceRecordSchema } from '../src/vms/qemu/home/records.ts';
import { verifyVersion } from '../src/vms/qemu/home/version-records.ts';
import { snapshotsSuite } from '../src/vms/snapshots.suite.ts';
import { type EmptyLab, makeEmptyLab } from './labs/qemu-lab.ts';

async function onQemu(): Promise<Lab> {
  const lab = await makeEmptyLab();
  const { provider } = lab;
  return {
    provider,
    clock: systemClock,
    makePool: async (count) => {
      const { ref } = await provider.pools.createPool(lab.spec(`pool-${count}`));
      const made = await provider.pools.setCapacity(ref, count);
      return { ref, providerIds: made.map((one) => providerId(one.ref)) };
    },
    grow: async (pool) => {
      const [born] = await provider.pools.setCapacity(pool, (await provider.pools.listInstances(pool)).length + 1);
      const { folder } = await provider.guests.readDetails(born!.ref);
      const record = instanceRecordSchema.parse(JSON.parse(readFileSync(join(folder, instanceFiles.record), 'utf8')));
      const given = customDataOn(join(folder, instanceFiles.provisioning));
      return {
        image: record.image,
        ...(given && { customData: given }),
        extensions: record.extensions.map((one) => one.extension.name),
      };
    },
    end: () => lab.end(),
  };
}

for (const suite of [poolsSuite, snapshotsSuite, gallerySuite, publisherSuite]) suite('QEMU', onQemu);

/** The content of the guest's provisioning disk; the ISO has one file, uncompressed. */
function customDataOn(iso: string): string | undefined {
  const [, given] = /<CustomData>([^<]*)<\/CustomData>/.exec(readFileSync(iso, 'latin1')) ?? [];
  return given && Buffer.from(given, 'base64').toString();
}

describe('after kill -9', () => {
  let lab: EmptyLab;
  let pool: PoolRef;
  let instance: Instance;
  beforeEach(async () => {
    lab = await makeEmptyLab();
    pool = (await lab.provider.pools.createPool(lab.spec('web'))).ref;
    instance = (await lab.provider.pools.setCapacity(pool, 1))[0]!;
  });
  afterEach(() => lab.end());

  // Two instances are made with two tools each; at most so many milliseconds pass until QEMU of the second runs.
  it.each(['1', '1+', '2', '2+', '3', '4+', '120ms', '250ms', '400ms'])(
    'of a command that scales out, at %s, the next one makes the pool whole',
    async (moment) => {
      await sacrifice('scale', moment);
      const between = await lab.provider.pools.listInstances(pool);
      expect(between.length).toBeLessThanOrEqual(3);
      await lab.provider.pools.setCapacity(pool, 3);
      const after = await lab.provider.pools.listInstances(pool);
      expect(after.map(({ power }) => power)).toEqual(['running', 'running', 'running']);
      const places = await Promise.all(after.map(({ ref }) => lab.provider.guests.readDetails(ref)));
      expect(new Set(places.map(({ address }) => address)).size).toBe(3);
      expect(new Set(places.map(({ sshPort }) => sshPort)).size).toBe(3);
      expect(lab.processes()).toHaveLength(3);
      expect(readdirSync(join(lab.home, 'pools/web/instances'))).toEqual(after.map(({ ref }) => ref.id));
    },
  );

  it.each(['1', '1+', '2', '2+', '3', '3+', '60ms', '150ms'])(
    'of a command that makes a version, at %s, there is no version or a whole one, and the next one makes it',
    async (moment) => {
      const definition = await prepareCapture();
      await sacrifice('version', moment);
      const id = { gallery: 'g', definition: 'd', version: '1.0.0' };
      for (const _ of await lab.provider.gallery.listVersions(definition)) await verifyVersion(lab.home, id);
      await runVictim('version', 'never');
      await verifyVersion(lab.home, id);
      expect(readdirSync(join(lab.home, 'galleries/g/d')).sort()).toEqual(['1.0.0', 'definition.json']);
    },
  );

  it('of QEMU, the instance is stopped, its disk is intact, and it starts again', async () => {
    process.kill(lab.processes()[0]!, 'SIGKILL');
    await until(async () => (await lab.provider.pools.readInstance(instance.ref))?.power === 'stopped');
    execFileSync('qemu-img', ['check', '-q', (await lab.provider.guests.readDetails(instance.ref)).disk]);
    await lab.provider.pools.start(instance.ref);
    const after = await lab.provider.pools.readInstance(instance.ref);
    expect(after).toMatchObject({ power: 'running', vmId: instance.vmId });
    expect(lab.processes()).toHaveLength(1);
  });

  it('of the process that wrote the pid file, QEMU is still found, and is deleted with its pool', async () => {
    const { folder } = await lab.provider.guests.readDetails(instance.ref);
    rmSync(join(folder, instanceFiles.pid));
    expect((await lab.provider.pools.readInstance(instance.ref))?.power).toBe('running');
    await lab.provider.pools.start(instance.ref);
    expect(lab.processes()).toHaveLength(1);
    await lab.provider.pools.deletePool(pool);
    expect(lab.processes()).toEqual([]);
  });

  async function prepareCapture(): Promise<Definition> {
    const { provider } = lab;
    await provider.pools.stop(instance.ref);
    await provider.snapshots.createSnapshot({
      name: 'snap',
      sourceDiskId: instance.osDisk!.id,
      region: 'local',
      tags: {},
    });
    const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
    const identity = { publisher: 'p', offer: 'o', sku: 's' };
    return provider.gallery.ensureDefinition({ gallery: 'g', name: 'd', ...traits, ...identity }, 'local');
  }

  /** Killed by itself at a tool, or by us after some milliseconds, unless it ends before. */
  async function sacrifice(order: string, moment: string): Promise<void> {
    if (!moment.endsWith('ms')) return void (await runVictim(order, moment));
    const victim = startVictim(order, 'never');
    const ended = once(victim, 'exit');
    await once(victim.stdout, 'data');
    await wait(Number.parseInt(moment, 10));
    victim.kill('SIGKILL');
    await ended;
  }

  async function runVictim(order: string, moment: string): Promise<void> {
    const [code, signal] = await once(startVictim(order, moment), 'exit');
    expect([code, signal]).toEqual(moment === 'never' ? [0, null] : [null, 'SIGKILL']);
  }

  function startVictim(order: string, moment: string) {
    const program = fileURLToPath(new URL('./labs/qemu-victim.ts', import.meta.url));
    return spawn(process.execPath, [program, lab.home, order, moment], { stdio: ['ignore', 'pipe', 'inherit'] });
  }
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    if (looks > 600) throw new Error('it never came');
    await wait(100);
  }
}
