import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Instance } from '../../vms/pools.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import { fakeTools } from '../../vms/qemu/testing.ts';
import { bootImage, TEST_POOL } from './boot-image.ts';
import { build, writeBuild } from './testing.ts';

let top: string;
let folder: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'headstart-boot-image-'));
  folder = join(top, 'node-1.35.8');
  writeBuild(folder);
});
afterEach(() => rmSync(top, { recursive: true }));

type PoolSpec = Parameters<QemuFactory['pools']['createPool']>[0];

function aFactory(instances: readonly Instance[]) {
  const specs: PoolSpec[] = [];
  const factory = {
    pools: { createPool: async (spec: PoolSpec) => void specs.push(spec), setCapacity: async () => instances },
  } as unknown as QemuFactory;
  return { specs, factory };
}

const ONE = { name: 'image-test-0' } as Partial<Instance> as Instance;
const versionIn = (home: string) =>
  JSON.parse(readFileSync(join(home, 'galleries/image-test/node-1.35.8/2026.1116.0/version.json'), 'utf8'));

async function boot(way: 'kernel' | 'firmware', instances: readonly Instance[] = [ONE]) {
  const ran: string[][] = [];
  const { specs, factory } = aFactory(instances);
  const deps = { home: top, factory, clock: fakeClock(), run: fakeTools(ran) };
  const instance = await bootImage(folder, build, way, deps);
  return { instance, spec: specs[0]!, overlay: ran.find((argv) => argv[1] === 'create')! };
}

describe('bootImage', () => {
  it('starts one instance with a disk larger than the image and a node config for its Kubernetes version', async () => {
    const { instance, spec } = await boot('kernel');
    expect(instance).toBe(ONE);
    expect(spec).toMatchObject({ name: TEST_POOL.name, readyUnit: 'headstart-node-ready.target', size: { diskGb: 3 } });
    expect(Buffer.from(spec.userData!, 'base64').toString()).toContain('1.35.8');
  });

  it("boots the build's kernel on an overlay of its qcow2, with the arguments that pools do not set", async () => {
    const { overlay } = await boot('kernel');
    expect(overlay).toEqual(expect.arrayContaining(['-F', 'qcow2', '-b', join(folder, 'disk.qcow2')]));
    expect(versionIn(top)).toMatchObject({ root: build.root, kernelArgs: ['console=ttyS0', 'panic=10'] });
  });

  it('boots an overlay of the VHD with firmware, without kernel arguments', async () => {
    const { overlay } = await boot('firmware');
    expect(overlay).toEqual(expect.arrayContaining(['-F', 'vpc', '-b', join(folder, 'disk.vhd')]));
    expect(versionIn(top)).toMatchObject({ firmware: 'uefi', cloudInit: 'off' });
    expect(versionIn(top)).not.toHaveProperty('kernelArgs');
  });

  it('fails if the pool returns no instance', async () => {
    await expect(boot('kernel', [])).rejects.toThrow('did not return the new instance');
  });
});
