// The way back with the official SDK against the simulated Azure: protected settings, orderings, and a rollback that lasts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { layDisk } from '../../../sims/azure/compute/disk.ts';
import { seatReferee } from '../../../sims/azure/referee/referee.ts';
import type { ScenarioInput } from '../../../sims/azure/scenario.ts';
import type { AzureLab } from '../../vms/azure/testing.ts';
import { rollBackPool } from '../after/run-rollback.ts';
import { badReason } from '../bad-version.ts';
import { approveDonor } from '../donor/approve-donor.ts';
import { savedModelName } from '../names.ts';
import type { Site } from '../site.ts';
import { azureWorld, HEALTH } from './azure-world.testing.ts';
import { runPrototype } from './engine.ts';

let lab: AzureLab | undefined;
const folders: string[] = [];
afterEach(async () => {
  await lab?.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const referee = await seatReferee();
const SECRET = { commandToExecute: 'join --token canary-6e1f' };
const STRICT = { mayBeUnpatched: false, mayLoseBootstrap: false };

/** As AKS Engine sets up a pool: the command is in protected settings, and an agent waits for it. */
async function world(mode: 'Uniform' | 'Flexible') {
  const script = { name: 'vmssCSE', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' };
  const agent = { name: 'falcon', publisher: 'Crowdstrike.Falcon', type: 'FalconSensorLinux' };
  const scenario: Partial<ScenarioInput> = {
    scaleSets: [
      {
        ...{ name: 'pool-3', mode, instances: 3, customData: '#cloud-config\nruncmd: [join]\n' },
        extensions: [{ ...script, protectedSettings: SECRET }, { ...agent, after: ['vmssCSE'] }, HEALTH],
      },
    ],
  };
  const made = await azureWorld(mode, referee, { scenario });
  lab = made.lab;
  const { cluster, clock, sim, donor, intent, donorRef, deps, pool } = made;
  const folder = mkdtempSync(join(tmpdir(), 'headstart-disk-'));
  folders.push(folder);
  layDisk(folder, Object.values(sim.inspect().instances).find(({ vmId }) => vmId === donor.vmId)!);
  cluster.runScript = (_node, script) => {
    const stdout = execFileSync('sh', ['-s'], { input: script.replace("root=''", `root='${folder}'`) }).toString();
    return { exitCode: 0, stdout, stderr: '' };
  };
  const site: Site = {
    ...{ provider: made.lab.provider, cluster, hasCluster: false, channel: 'private', gallery: intent.gallery },
  };
  const found = {
    name: 'donor',
    node: cluster.nodes.get('donor')!,
    ref: donorRef,
    strays: [],
    refusals: [],
    notes: [],
  };
  const { customData: _, ...engine } = deps;
  const quiet = { clock, signal: deps.signal, onInspect: () => undefined, onWarning: () => undefined };
  return {
    ...made,
    site,
    folder,
    approve: (terms = STRICT) => approveDonor(site, found, terms, quiet),
    runWith: (approved: object, id = 'first') => runPrototype(intent, donorRef, id, { ...engine, ...approved }),
    rollBack: (request: Omit<Parameters<typeof rollBackPool>[1], 'pool' | 'holder'>) =>
      rollBackPool(
        site,
        { pool: pool.ref, holder: 'me', ...request },
        { clock, signal: deps.signal, onEvent: () => undefined },
      ),
    newest: async () => {
      await made.lab.grow(pool.ref);
      return Object.values(sim.inspect().instances).toSorted((a, b) => b.createdMs - a.createdMs)[0]!.birth;
    },
  };
}

describe.each(['Uniform', 'Flexible'] as const)('the way back of a %s pool', (mode) => {
  it('restores protected settings found on the donor, orderings and custom data', async () => {
    const { approve, runWith, rollBack, newest, pool, lab, sim, cluster } = await world(mode);
    const before = (await lab.provider.pools.readPool(pool.ref))!.model.extensions;
    await runWith(await approve());
    expect((await lab.provider.pools.readPool(pool.ref))!.model.extensions).toMatchObject([
      { name: 'falcon', after: [] },
      { name: 'health' },
    ]);
    expect((await newest()).protectedSettings).toEqual({});
    await rollBack({ to: 'original' });
    const after = (await lab.provider.pools.readPool(pool.ref))!.model.extensions;
    expect(after.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      before.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const born = await newest();
    expect(born.protectedSettings).toEqual({ vmssCSE: SECRET });
    expect(Buffer.from(born.customData!, 'base64').toString()).toContain('runcmd: [join]');
    expect(cluster.secrets.get(savedModelName(pool.ref))!.recipe).toContain('canary-6e1f');
    expect(sim.violations).toEqual([]);
  });

  it('is refused before the run if the donor cannot give the command, and by a rollback without it', async () => {
    const { approve, runWith, rollBack, newest, folder, pool, lab } = await world(mode);
    rmSync(join(folder, 'var/lib/waagent'), { recursive: true });
    await expect(approve()).rejects.toMatchObject({
      code: 'prototype/no-way-back',
      message: expect.stringContaining('the protected settings of vmssCSE of pool-3 are unknown'),
    });
    await runWith({ ...(await approve({ ...STRICT, mayLoseBootstrap: true })), customData: 'Ym9vdHN0cmFw' });
    const before = (await lab.provider.pools.readPool(pool.ref))!.model;
    await expect(rollBack({ to: 'original' })).rejects.toMatchObject({
      code: 'prototype/no-way-back',
      next: expect.stringContaining('--protected-settings FILE'),
    });
    expect((await lab.provider.pools.readPool(pool.ref))!.model).toEqual(before);
    await rollBack({ to: 'original', readProtectedSettings: () => ({ vmssCSE: SECRET }) });
    expect((await newest()).protectedSettings).toEqual({ vmssCSE: SECRET });
  });

  it('is not left again by a run of the same day: the version is marked bad', async () => {
    const { approve, runWith, rollBack, pool, lab, intent, sim } = await world(mode);
    const approved = await approve();
    await runWith(approved);
    await rollBack({ to: 'original' });
    const [definition] = (await lab.provider.gallery.listDefinitions(intent.gallery))!;
    const read = async () => (await lab.provider.gallery.readVersion(definition!, intent.version))!;
    expect(badReason(await read())).toMatch(/^rollback ordered \d{4}-\d\d-\d\d$/);
    expect((await read()).isExcludedFromLatest).toBe(true);
    const original = (await lab.provider.pools.readPool(pool.ref))!.model.image;
    await expect(runWith(approved, 'second')).rejects.toMatchObject({ code: 'prototype/bad-version' });
    expect((await lab.provider.pools.readPool(pool.ref))!.model.image).toEqual(original);
    await rollBack({ to: intent.version, clearsBad: true });
    expect(badReason(await read())).toBeUndefined();
    expect((await read()).isExcludedFromLatest).toBe(false);
    expect(sim.violations).toEqual([]);
  });
});
