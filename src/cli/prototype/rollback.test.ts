import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Conflict, Forbidden } from '../../base/failures.ts';
import { BAD_TAG, leaseName, savedModelName } from '../../prototype/names.ts';
import { POOL, POOL_REF } from '../../prototype/testing.ts';
import { rollbackVerb } from './rollback.ts';
import { type VerbLab, verbLab } from './testing.ts';

async function afterARun(): Promise<VerbLab> {
  const world = verbLab();
  await world.run();
  const recipe = {
    image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' },
    customData: 'eA==',
  };
  await world.cluster.writeSecret(savedModelName(POOL_REF), {
    recipe: JSON.stringify({ ...recipe, extensions: [] }),
  });
  return world;
}

const toOriginal = ['--pool', POOL, '--to', 'original'];

describe('prototype rollback', () => {
  it('rolls back, reports it, and releases the pool', async () => {
    const world = await afterARun();
    const { code, stdout } = await world.runVerb(rollbackVerb, ...toOriginal);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`pointed ${POOL} from version`),
    });
    expect(world.cluster.leases.size).toBe(0);
  });

  it('plans again if the pool changed meanwhile, as autoscalers often do', async () => {
    const world = await afterARun();
    const { changeModel } = world.provider.publisher;
    let tries = 0;
    world.provider.publisher.changeModel = async (...args) => {
      if (tries++ === 0) throw new Conflict('changed since it was read');
      return changeModel(...args);
    };
    const { code, stderr } = await world.runVerb((connect) => rollbackVerb(connect, world.clock), ...toOriginal);
    expect(code, stderr).toBe(0);
    expect(tries).toBe(2);
    expect(stderr).toContain('changed since it was read; retrying in');
  });

  it('says that an earlier rollback, which did not end, was finished', async () => {
    const world = await afterARun();
    const [made] = [...world.provider.state.versions.values()];
    const older = { ...made!, name: '2026.1.1', id: made!.id.replace(made!.name, '2026.1.1') };
    world.provider.state.versions.set(older.id, older);
    const { tagPool } = world.provider.pools;
    world.provider.pools.tagPool = () => Promise.reject(new Forbidden('denied by policy'));
    expect(await world.runVerb(rollbackVerb, '--pool', POOL)).toMatchObject({ code: 4 });
    world.provider.pools.tagPool = tagPool;
    const { code, stdout } = await world.runVerb(rollbackVerb, '--pool', POOL, '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      from: `version ${made!.name}`,
      to: 'version 2026.1.1',
      isFinished: true,
    });
  });

  it('does nothing during a run, and names its holder', async () => {
    const world = await afterARun();
    const hold = { holder: 'somebody-1', durationMs: 60_000, note: 'prototype of a' };
    await world.cluster.holdLease(leaseName(POOL_REF), hold);
    const { code, stderr } = await world.runVerb(rollbackVerb, ...toOriginal);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('held by somebody-1') });
  });

  it('holds the pool under a unique name: process ids repeat from pod to pod', async () => {
    const holders: string[] = [];
    for (let time = 0; time < 2; time++) {
      const world = await afterARun();
      const { holdLease } = world.cluster;
      world.cluster.holdLease = async (name, wish, signal) => {
        holders.push(wish.holder);
        return holdLease(name, wish, signal);
      };
      await world.runVerb(rollbackVerb, ...toOriginal);
    }
    expect(new Set(holders).size).toBe(2);
  });

  it('takes no hold with --dry-run', async () => {
    const world = await afterARun();
    await world.cluster.holdLease(leaseName(POOL_REF), { holder: 'x', durationMs: 60_000, note: '' });
    const { code, stdout } = await world.runVerb(rollbackVerb, ...toOriginal, '--dry-run');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('would point') });
  });

  it('reports that no run has changed the pool, and does not suggest the same command', async () => {
    const world = verbLab();
    for (const to of [[], ['--to', 'original']]) {
      const { code, stderr } = await world.runVerb(rollbackVerb, '--pool', POOL, ...to);
      expect(code).toBe(1);
      expect(stderr).toContain(`next:  \`headstart prototype status --pool ${POOL}\` shows`);
    }
  });

  it('to a version needs no permission to read the saved model', async () => {
    const world = await afterARun();
    world.cluster.readSecret = async () => {
      throw new Forbidden('no right to get secrets');
    };
    const { stderr } = await world.runVerb(rollbackVerb, '--pool', POOL, '--to', '1.2.3');
    expect(stderr).toContain('there is no version 1.2.3');
    expect((await world.runVerb(rollbackVerb, ...toOriginal)).stderr).toContain('no right to get secrets');
  });

  it('says which version it marks, and clears the mark on request', async () => {
    const world = await afterARun();
    const [made] = [...world.provider.state.versions.values()];
    const planned = await world.runVerb(rollbackVerb, ...toOriginal, '--dry-run', '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({ markedBad: made!.name, isDryRun: true });
    expect(made!.tags[BAD_TAG]).toBeUndefined();
    const { stdout } = await world.runVerb(rollbackVerb, ...toOriginal);
    expect(stdout).toContain(`marked version ${made!.name} bad`);
    const refused = await world.runVerb(rollbackVerb, '--pool', POOL, '--to', made!.name);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--clear-bad') });
    const cleared = await world.runVerb(rollbackVerb, '--pool', POOL, '--to', made!.name, '--clear-bad');
    expect(cleared.stdout).toContain(`removed the mark of version ${made!.name}`);
    expect(made!.tags[BAD_TAG]).toBeUndefined();
  });

  it('refuses a script extension without its command before any change, and restores it with a given file', async () => {
    const world = await afterARun();
    const { recipe } = world.cluster.secrets.get(savedModelName(POOL_REF))!;
    const script = { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', after: [] };
    const hidden = { ...(JSON.parse(recipe!) as object), extensions: [script] };
    await world.cluster.writeSecret(savedModelName(POOL_REF), { recipe: JSON.stringify(hidden) });
    const pool = world.provider.state.pools.get(world.ref.pool.id)!;
    const before = JSON.stringify([pool.model, [...world.provider.state.versions.values()].map(({ tags }) => tags)]);
    for (const more of [[], ['--dry-run']]) {
      const refused = await world.runVerb(rollbackVerb, ...toOriginal, ...more);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--protected-settings FILE') });
    }
    expect(JSON.stringify([pool.model, [...world.provider.state.versions.values()].map(({ tags }) => tags)])).toBe(
      before,
    );
    const folder = mkdtempSync(join(tmpdir(), 'headstart-rollback-'));
    const file = join(folder, 'settings.json');
    writeFileSync(file, '{"bootstrap": {"commandToExecute": "canary-41c7"}}');
    const { code, stdout, stderr } = await world.runVerb(
      ...([rollbackVerb, ...toOriginal, '--protected-settings', file, '--json'] as const),
    );
    rmSync(folder, { recursive: true });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ restoredExtensions: ['bootstrap'] });
    expect(stdout + stderr).not.toContain('canary-41c7');
    expect(pool.protectedSettings).toEqual({ bootstrap: { commandToExecute: 'canary-41c7' } });
  });
});
