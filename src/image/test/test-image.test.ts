import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { bootRecord, unit } from '../../boot/testing.ts';
import type { Instance } from '../../vms/pools.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import { fakeTools } from '../../vms/qemu/testing.ts';
import { readTest } from './record.ts';
import { judgeBoot, testImage } from './test-image.ts';
import { build, expected, goodFacts, writeBuild } from './testing.ts';

const record = bootRecord({ units: [unit('headstart-node-ready.target', 9, 0)] });
const good = { record, facts: goodFacts };

describe('judgeBoot', () => {
  it('passes if every check passes, and records the files that were booted', () => {
    const boot = judgeBoot(expected, good, undefined);
    expect(boot).toMatchObject({ way: 'kernel', isPassed: true, readyMs: 9000, budget: [] });
    expect(Object.keys(boot.files)).toEqual(['disk.qcow2', 'vmlinux', 'initrd.cpio']);
    expect(boot.checks[0]).toEqual({ name: 'boots', isPassed: true, detail: 'reached the ready state' });
  });

  it('fails if one check fails', () => {
    const boot = judgeBoot(expected, { record, facts: { ...goodFacts, failedUnits: ['x.service'] } }, undefined);
    expect(boot.isPassed).toBe(false);
    expect(boot.checks.filter(({ isPassed }) => !isPassed)).toHaveLength(1);
  });

  it('fails over budget, and passes within it', () => {
    const slow = bootRecord({ units: [unit('slow.service', 1, 2)] });
    const within = (limitUs: number) =>
      judgeBoot(expected, { ...good, record: slow }, { units: { 'slow.service': limitUs } });
    expect(within(1_000_000)).toMatchObject({ isPassed: false, budget: [{ limitMs: 1000, actualMs: 2000 }] });
    expect(within(2_000_000)).toMatchObject({ isPassed: true, budget: [{ limitMs: 2000, verdict: 'ok' }] });
  });

  it('fails if a budgeted time is unknown', () => {
    expect(judgeBoot(expected, good, { total: 3_600_000_000 })).toMatchObject({
      isPassed: false,
      budget: [{ verdict: 'unknown' }],
    });
  });

  it('has no ready time if the unit never became active', () => {
    expect(judgeBoot(expected, { ...good, record: bootRecord({}) }, undefined)).not.toHaveProperty('readyMs');
  });

  it('fails with the reason if the VM did not come up', () => {
    expect(judgeBoot(expected, { trouble: 'never up' }, undefined)).toMatchObject({
      isPassed: false,
      checks: [{ name: 'boots', isPassed: false, detail: 'never up' }],
    });
  });
});

describe('testImage', () => {
  let top: string;
  let folder: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'headstart-test-image-'));
    folder = join(top, 'node-1.35.8');
    writeBuild(folder);
  });
  afterEach(() => rmSync(top, { recursive: true }));

  function test(trouble: Error) {
    const steps: string[] = [];
    const factory = {
      pools: {
        createPool: async () => {},
        setCapacity: async () => [{ ref: { id: 'i', name: 'i' } } as unknown as Instance],
      },
      guests: { awaitUp: () => Promise.reject(trouble) },
    } as unknown as QemuFactory;
    const deps = {
      ...{ home: top, factory, clock: fakeClock(), run: fakeTools([]) },
      ...{ collect: async () => record, onStep: (what: string) => steps.push(what) },
    };
    return { steps, tested: testImage({ folder, way: 'kernel', deadlineMs: 1000 }, deps) };
  }

  it('writes a result even if the VM did not come up', async () => {
    const { tested } = test(new UserError('never up', { code: 'vms/not-up' }));
    expect(await tested).toMatchObject({ boot: { isPassed: false }, test: { contentSha256: build.contentSha256 } });
    expect(await readTest(folder)).toMatchObject({ isPassed: false });
  });

  it('writes no result if the machine caused the failure', async () => {
    await expect(test(new UserError('no KVM', { code: 'vms/other' })).tested).rejects.toThrow('no KVM');
    expect(existsSync(join(folder, 'test.json'))).toBe(false);
  });

  it('starts no VM from a changed build', async () => {
    writeFileSync(join(folder, 'vmlinux'), 'another kernel');
    const { steps, tested } = test(new Error('started'));
    await expect(tested).rejects.toMatchObject({ code: 'image/build-damaged' });
    expect(steps).toEqual(['verifying the build node 1.35.8-2026.1116.0']);
  });
});
