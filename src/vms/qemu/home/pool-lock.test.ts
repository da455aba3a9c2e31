import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../host/locks.ts';
import type { PoolRef } from '../../pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { galleryLock, instanceFiles, instancesFolder, poolFolder, poolsFolder, snapshotsFolder } from './layout.ts';

let lab: Lab;
let pool: PoolRef;
beforeEach(async () => {
  lab = makeLab();
  pool = (await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab)))).ref;
});
afterEach(() => lab.end());

/** What a killed command leaves behind. */
function leave(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'half'), 'half');
  return folder;
}

function writeAgo(path: string, agoS: number): void {
  writeFileSync(path, '{');
  const atS = Date.now() / 1000 - agoS;
  utimesSync(path, atS, atS);
}

describe('what killed commands leave behind', () => {
  it('is removed by the next change of a pool', async () => {
    const { home } = lab.context;
    await lab.provider.pools.setCapacity(pool, 1);
    const instances = instancesFolder(home, 'web');
    const leftovers = [
      leave(join(instances, 'web-000002')), // its record was never written
      leave(join(instances, '.deleting-web-000009-ab12')),
      leave(join(instances, 'web-000001', '.partial-provisioning-ab12')),
      leave(join(poolsFolder(home), '.deleting-other-ab12')),
      leave(join(snapshotsFolder(home), '.partial-ab12')),
      leave(join(home, 'galleries/headstart/empty/.partial-ab12')),
    ];
    const unwritten = ['.instance.json.ab12.tmp', '.cluster-events.jsonl.ab12.tmp'].map((name) =>
      join(instances, 'web-000001', name),
    );
    for (const one of unwritten) writeAgo(one, 61);
    await lab.provider.pools.tagPool(pool, { a: '1' });
    for (const one of [...leftovers, ...unwritten]) expect(existsSync(one), one).toBe(false);
    expect(await lab.provider.pools.listInstances(pool)).toHaveLength(1);
    expect(await lab.provider.pools.setCapacity(pool, 2)).toHaveLength(1);
  });

  // The identity of an instance, the events of its node and the trouble of a refill are written without the pool's lock.
  it.each([
    { what: 'is being written', agoS: 0, isKept: true },
    { what: 'was written half a minute ago', agoS: 30, isKept: true },
    { what: 'was written more than a minute ago', agoS: 61, isKept: false },
    { what: 'has a time in the future, because the clock was set back', agoS: -3600, isKept: false },
  ])('keeps a file that $what: $isKept', async ({ agoS, isKept }) => {
    const { home } = lab.context;
    await lab.provider.pools.setCapacity(pool, 1);
    const files = [
      join(instancesFolder(home, 'web'), 'web-000001', '.identity.json.ab12.tmp'),
      join(poolFolder(home, 'web'), '.standby-trouble.json.ab12.tmp'),
    ];
    for (const one of files) writeAgo(one, agoS);
    await lab.provider.pools.tagPool(pool, { a: '1' });
    for (const one of files) expect(existsSync(one), one).toBe(isKept);
  });

  it('is not counted, listed or used before that', async () => {
    leave(join(instancesFolder(lab.context.home, 'web'), 'web-000001'));
    leave(poolFolder(lab.context.home, 'half'));
    expect((await lab.provider.pools.readPool(pool))!.capacity).toBe(0);
    expect(await lab.provider.pools.listInstances(pool)).toEqual([]);
    expect(await lab.provider.pools.listPools()).toHaveLength(1);
  });

  it('does not block a new pool of the same name', async () => {
    leave(poolFolder(lab.context.home, 'half'));
    const spec = { ...(await lab.provider.pools.readSpec(pool)), name: 'half' };
    await lab.provider.pools.createPool(spec);
    expect(readdirSync(poolFolder(lab.context.home, 'half'))).not.toContain('half');
  });

  it('is started by the next scaling command if it was made but never ran', async () => {
    const [made] = await lab.provider.pools.setCapacity(pool, 1);
    const { folder } = await lab.provider.guests.readDetails(made!.ref);
    const path = join(folder, instanceFiles.record);
    const { startedMs: _, ...record } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, isNew: true }));
    lab.machines.states.clear();
    expect((await lab.provider.pools.setCapacity(pool, 1)).map(({ ref, power }) => [ref.id, power])).toEqual([
      [made!.ref.id, 'running'],
    ]);
    lab.machines.states.clear();
    // An instance that ran and shut down is not started: a user may have shut it down in the guest.
    expect(await lab.provider.pools.setCapacity(pool, 1)).toEqual([]);
  });

  it('is replaced with a new disk if a reimage was interrupted', async () => {
    const [made] = await lab.provider.pools.setCapacity(pool, 1);
    const { disk } = await lab.provider.guests.readDetails(made!.ref);
    lab.machines.failNextLaunch = new Error('killed');
    writeFileSync(disk, 'the old disk');
    const { run } = lab.context;
    lab.context.run = async () => {
      throw new Error('killed');
    };
    await expect(lab.provider.pools.reimage(made!.ref)).rejects.toThrow('killed');
    lab.context.run = run;
    lab.machines.failNextLaunch = undefined;
    await lab.provider.pools.start(made!.ref);
    expect(readFileSync(disk, 'utf8')).toMatch(/^below .*1\.0\.0\/disk\.qcow2\n$/);
  });

  it('does not include an unfinished version that another command is making', async () => {
    const unfinished = leave(join(lab.context.home, 'galleries/headstart/empty/.partial-ab12'));
    await withLock(lab.context.home, { name: galleryLock('headstart'), why: 'making a version' }, {}, () =>
      lab.provider.pools.tagPool(pool, { a: '1' }),
    );
    expect(existsSync(unfinished)).toBe(true);
    rmSync(unfinished, { recursive: true });
  });
});
