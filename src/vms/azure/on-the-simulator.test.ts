// Beyond the contract suites: permissions, faults, logins and secrets, with the real SDK against the simulator.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createHttpHeaders } from '@azure/core-rest-pipeline';
import type { TokenCredential } from '@azure/identity';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../../sims/azure/referee/referee.ts';
import type { Fault } from '../../../sims/azure/service/faults.ts';
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict, Forbidden, NoCapacity } from '../../base/failures.ts';
import { Secret } from '../../base/secret.ts';
import type { InstanceRef, PoolRef } from '../pools.ts';
import type { VmProvider } from '../provider.ts';
import type { ModelChange } from '../publisher.ts';
import { createAzureProvider } from './azure-provider.ts';
import { lazyCredential } from './connect/credentials.ts';
import { type AzureLab, azureLab } from './testing.ts';

const modes = ['Uniform', 'Flexible'] as const;
const labs: AzureLab[] = [];
let referee: Referee;

beforeAll(async () => {
  referee = await seatReferee();
});
afterEach(async () => {
  for (const lab of labs.splice(0)) {
    expect(lab.sim.violations).toEqual([]);
    await lab.end();
  }
});
afterAll(async () => {
  const { checked, rejected } = await referee.report();
  process.stderr.write(`azure provider, rights and faults: ${checked} exchanges checked by the referee\n`);
  expect(rejected).toEqual([]);
});

async function open(options: Partial<Parameters<typeof azureLab>[0]> = {}): Promise<AzureLab> {
  const lab = await azureLab({ mode: 'Uniform', ...options, sim: { referee, ...options.sim } });
  labs.push(lab);
  return lab;
}

describe('the role', () => {
  it('contains exactly the permissions that the whole operation needs', async () => {
    const role = JSON.parse(await readFile(new URL('../../../docs/azure-role.json', import.meta.url), 'utf8'));
    const unneeded: string[][] = [];
    for (const mode of modes) {
      const lab = await open({ mode, sim: { role }, scaleSet: { diskEncryptionSet: '/subscriptions/s/nodes' } });
      await everything(lab);
      unneeded.push(lab.sim.roles.unneeded());
    }
    expect(unneeded[0]!.filter((action) => unneeded[1]!.includes(action))).toEqual([]);
    expect(role.Actions.filter((action: string) => action.includes('*'))).toEqual([]);
  });

  it.each(modes)('lacks permissions, and a check before the run names all of them (%s)', async (mode) => {
    const role = { Actions: ['*/read'], NotActions: ['Microsoft.Compute/snapshots/*'] };
    const lab = await open({ mode, sim: { role } });
    const { refusals, notes } = await lab.provider.checkAccess!((await lab.makePool(1)).ref, 'SIG_role');
    expect(notes).toEqual([]);
    expect(refusals).toHaveLength(1);
    const instances = mode === 'Uniform' ? 'virtualMachineScaleSets/virtualMachines' : 'virtualMachines';
    for (const action of [`${instances}/powerOff/action`, 'snapshots/read', 'galleries/images/versions/write'])
      expect(refusals[0]!.reason).toContain(`Microsoft.Compute/${action}`);
    expect(refusals[0]!.reason).not.toContain('Microsoft.Compute/disks/read');
  });

  it('without the right to read itself is checked only when it is needed', async () => {
    const lab = await open({ sim: { role: { Actions: ['Microsoft.Compute/*'] } } });
    const { refusals, notes } = await lab.provider.checkAccess!((await lab.makePool(1)).ref, 'SIG_role');
    expect(refusals).toEqual([]);
    expect(notes).toHaveLength(2);
  });

  it.each([
    ['ReadOnly', 'vms/locked', 0],
    ['CanNotDelete', undefined, 1],
  ] as const)('does not help against a lock: %s', async (level, code, notes) => {
    const lab = await open({ scenario: { locks: [{ level }] } });
    const access = await lab.provider.checkAccess!((await lab.makePool(1)).ref, 'SIG_role');
    expect(access.refusals.map((one) => one.code)).toEqual(code ? [code] : []);
    expect(access.notes).toHaveLength(notes);
  });

  it('lacks a permission, and the error names it', async () => {
    const lab = await open({ sim: { role: { Actions: ['*/read'] } } });
    const { providerIds } = await lab.makePool(1);
    const instance = await lab.provider.pools.locate(providerIds[0]!);
    const failure = await lab.provider.pools.stop(instance).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Forbidden);
    expect(failure).toMatchObject({
      message: expect.stringContaining('Microsoft.Compute/virtualMachineScaleSets/virtualMachines/powerOff/action'),
    });
  });
});

describe('a fault', () => {
  const passing: Fault['kind'][] = ['throttle', 'server-error', 'connection-reset', 'answer-lost', 'slow'];
  const orders: [string, string, (provider: VmProvider, instance: InstanceRef, pool: PoolRef) => Promise<unknown>][] = [
    ['stop', 'POST virtualMachines/powerOff', (provider, instance) => provider.pools.stop(instance)],
    ['protect', 'PUT virtualMachines', (provider, instance) => provider.pools.setProtection(instance, protectedFully)],
    ['poll', 'GET operations', (provider, instance) => provider.pools.stop(instance)],
    ['read', 'GET virtualMachineScaleSets', (provider, _instance, pool) => provider.pools.readPool(pool)],
  ];
  const cases = orders.flatMap((order) => passing.map((kind) => [kind, ...order] as const));

  it.each(cases)('%s during %s is retried', async (kind, _name, on, order) => {
    const lab = await open();
    const { ref, providerIds } = await lab.makePool(1);
    const instance = await lab.provider.pools.locate(providerIds[0]!);
    lab.sim.fail({ on, kind, times: 2 });
    const outcome = await order(lab.provider, instance, ref).then(
      () => 'done',
      (error: unknown) => error,
    );
    // When the response of a change was lost, its retry finds the change applied and fails; the engine reads again and continues.
    if (outcome !== 'done') expect([kind, outcome]).toEqual(['answer-lost', expect.any(Conflict)]);
  });

  it.each<[Fault['kind'], new (...args: never[]) => Error]>([
    ['conflict', Conflict],
    ['lro-failed', TransientError],
    ['lro-failed-but-applied', TransientError],
  ])('%s is translated into its error class', async (kind, expected) => {
    const lab = await open();
    const { providerIds } = await lab.makePool(1);
    const instance = await lab.provider.pools.locate(providerIds[0]!);
    lab.sim.fail({ on: 'POST virtualMachines/powerOff', kind });
    await expect(lab.provider.pools.stop(instance)).rejects.toBeInstanceOf(expected);
    const { power } = (await lab.provider.pools.readInstance(instance))!;
    expect(power).toBe(kind === 'lro-failed-but-applied' ? 'stopped' : 'running');
  });

  it('that reports success without effect shows in the next read', async () => {
    const lab = await open();
    const { providerIds } = await lab.makePool(1);
    const instance = await lab.provider.pools.locate(providerIds[0]!);
    lab.sim.fail({ on: 'POST virtualMachines/powerOff', kind: 'lro-succeeded-but-not-applied' });
    await lab.provider.pools.stop(instance);
    expect((await lab.provider.pools.readInstance(instance))?.power).toBe('running');
  });

  it.each(modes)('of allocation after deallocating is NoCapacity (%s)', async (mode) => {
    const lab = await open({ mode });
    const { providerIds } = await lab.makePool(1);
    const instance = await lab.provider.pools.locate(providerIds[0]!);
    await lab.provider.pools.deallocate(instance);
    lab.sim.fail({ on: 'POST virtualMachines/start', kind: 'allocation-failed' });
    await expect(lab.provider.pools.start(instance)).rejects.toBeInstanceOf(NoCapacity);
    await lab.provider.pools.start(instance);
    expect((await lab.provider.pools.readInstance(instance))?.power).toBe('running');
  });

  it('from missing zone redundancy is distinguished from other refusals, and local redundancy works', async () => {
    const lab = await open({ scenario: { zoneRedundantStorage: false } });
    const { definition, spec } = await captured(lab);
    await expect(lab.provider.gallery.beginVersion({ ...spec, redundancy: 'zone' })).rejects.toMatchObject({
      code: 'vms/no-zone-redundancy',
    });
    for (const { name } of await lab.provider.gallery.listVersions(definition))
      await lab.provider.gallery.deleteVersion(definition, name);
    await lab.provider.gallery.beginVersion({ ...spec, redundancy: 'local' });
    expect((await lab.provider.gallery.listVersions(definition))[0]).toMatchObject({ redundancy: 'local' });
  });
});

describe('a race', () => {
  it('between reading and changing is a Conflict, and our change has no effect', async () => {
    const lab = await open();
    const { ref } = await lab.makePool(1);
    const pool = (await lab.provider.pools.readPool(ref))!;
    const change = {
      image: pool.model.image,
      bootstrap: 'none',
      extensions: { keep: [], add: [] },
      tags: { ours: 'yes' },
    } as const;
    lab.sim.meddle((world) => {
      for (const set of Object.values(world.scaleSets)) set.etag += 1;
    });
    await expect(
      lab.provider.publisher.changeModel(pool, { ...change, extensions: { keep: [], add: [] } }),
    ).rejects.toBeInstanceOf(Conflict);
    expect((await lab.provider.pools.readPool(ref))?.tags).not.toHaveProperty('ours');
  });
});

/** A login that Azure forbids some requests. */
function forbidding(lab: AzureLab, isForbidden: (path: string) => boolean): VmProvider {
  const network = lab.deps.httpClient!;
  return createAzureProvider(lab.settings, {
    ...lab.deps,
    httpClient: {
      sendRequest: async (request) =>
        isForbidden(new URL(request.url).pathname)
          ? {
              request,
              status: 403,
              headers: createHttpHeaders(),
              bodyAsText: '{"error":{"code":"AuthorizationFailed"}}',
            }
          : network.sendRequest(request),
    },
  });
}

describe('an update that keeps the extensions it should drop', () => {
  async function switched(fault?: Fault) {
    const lab = await open({ scenario: { patchKeepsExtensions: true } });
    const { ref, definition, spec } = await captured(lab);
    await lab.provider.gallery.beginVersion(spec);
    await lab.clock.sleep(3 * 3_600_000);
    if (fault) lab.sim.fail(fault);
    const image = { kind: 'version', id: `${definition.id}/versions/${spec.name}` } as const;
    const extensions = { keep: ['health'], add: [] };
    const change = async () =>
      lab.provider.publisher.changeModel((await lab.provider.pools.readPool(ref))!, {
        ...{ image, bootstrap: 'none', extensions, tags: {} },
      });
    const names = async () => (await lab.provider.pools.readPool(ref))!.model.extensions.map(({ name }) => name);
    return { lab, ref, change, names };
  }

  it('is followed by their deletion', async () => {
    const { lab, ref, change, names } = await switched();
    await change();
    expect(await names()).toEqual(['health']);
    expect((await lab.grow(ref)).extensions).toEqual(['health']);
  });

  it.each<Fault['kind']>(['lro-failed', 'lro-succeeded-but-not-applied', 'answer-lost', 'conflict'])(
    'can be repeated after %s',
    async (kind) => {
      const { lab, change, names } = await switched({ on: 'DELETE extensions', kind });
      const first = await change().catch((error: unknown) => error);
      if (first !== undefined) expect(first).toBeInstanceOf(TransientError);
      await lab.clock.sleep(5 * 60_000); // an operation whose answer was lost still runs
      await change();
      expect(await names()).toEqual(['health']);
    },
  );
});

describe('references', () => {
  const switchTo = (id: string, kind: 'version' | 'definition'): ModelChange => ({
    image: { kind, id },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: {},
  });

  it('of a model that refers to a definition are its newest included version', async () => {
    const lab = await open();
    const { ref, definition, spec } = await captured(lab);
    for (const name of ['2026.9.30', '2026.11.1'])
      await lab.provider.gallery.beginVersion({ ...spec, name, isExcludedFromLatest: false });
    await lab.provider.gallery.beginVersion({ ...spec, name: '2026.11.15' });
    await lab.clock.sleep(3 * 3_600_000);
    await lab.provider.publisher.changeModel(
      (await lab.provider.pools.readPool(ref))!,
      switchTo(definition.id, 'definition'),
    );
    expect([...(await lab.provider.gallery.referencedImages(definition))]).toEqual([
      `${definition.id}/versions/2026.11.1`,
    ]);
  });

  it.each(modes)('are searched in the known groups when the login may not list the subscription (%s)', async (mode) => {
    const lab = await open({ mode });
    const { ref, definition, spec } = await captured(lab);
    await lab.provider.gallery.beginVersion(spec);
    await lab.clock.sleep(3 * 3_600_000);
    const version = `${definition.id}/versions/${spec.name}`;
    await lab.provider.publisher.changeModel((await lab.provider.pools.readPool(ref))!, switchTo(version, 'version'));
    const narrow = forbidding(lab, (path) => /^\/subscriptions\/[^/]+\/providers\//.test(path));
    expect([...(await narrow.gallery.referencedImages(definition))]).toEqual([version]);
  });

  it('are all versions when the login may not list instances, which may be made from any', async () => {
    const lab = await open();
    const { definition, spec } = await captured(lab);
    for (const name of ['2026.11.13', '2026.11.14']) await lab.provider.gallery.beginVersion({ ...spec, name });
    const blind = forbidding(lab, (path) => path.endsWith('/virtualMachines'));
    expect([...(await blind.gallery.referencedImages(definition))].sort()).toEqual(
      ['2026.11.13', '2026.11.14'].map((name) => `${definition.id}/versions/${name}`),
    );
    expect([...(await lab.provider.gallery.referencedImages(definition))]).toEqual([]);
  });
});

/** In milliseconds, from the token itself. */
function expiryOf(token: string): number {
  return Number(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).exp) * 1000;
}

describe('a login', () => {
  const canary = 'canary-client-secret-77aa';
  const servicePrincipal = { clientId: '11111111-1111-4111-8111-111111111111', clientSecret: canary };

  async function asPrincipal(secret: string) {
    const lab = await open({ sim: { servicePrincipal } });
    const { tenantId } = lab.sim.inspect();
    const { clientId } = servicePrincipal;
    const choice = { kind: 'service-principal', tenantId, clientId, secret: new Secret(secret), from: 'test' } as const;
    const credential = lazyCredential(choice, lab.settings, lab.sim.caPem);
    return { lab, provider: createAzureProvider(lab.settings, { ...lab.deps, credential }) };
  }

  it('with a service principal works', async () => {
    const { lab, provider } = await asPrincipal(canary);
    const { ref } = await lab.makePool(1);
    expect((await provider.pools.readPool(ref))?.capacity).toBe(1);
  });

  it('outlives its token, also when the clock of this machine is ten minutes behind', async () => {
    const lab = await open({ sim: { servicePrincipal } });
    const { tenantId } = lab.sim.inspect();
    const { clientId, clientSecret } = servicePrincipal;
    const secret = new Secret(clientSecret);
    const choice = { kind: 'service-principal', tenantId, clientId, secret, from: 'test' } as const;
    const login = lazyCredential(choice, lab.settings, lab.sim.caPem);
    // The end of a managed identity's token is a time of the service's clock.
    const credential: TokenCredential = {
      getToken: async (scopes, options) => {
        const token = await login.getToken(scopes, options);
        return token && { ...token, expiresOnTimestamp: expiryOf(token.token) };
      },
    };
    const { clock } = lab.deps;
    const behind: Clock = { nowMs: () => clock.nowMs() - 600_000, sleep: clock.sleep.bind(clock) };
    const provider = createAzureProvider(lab.settings, { ...lab.deps, credential, clock: behind });
    const { ref } = await lab.makePool(1);
    for (let minutes = 0; minutes < 150; minutes++) {
      expect((await provider.pools.readPool(ref))?.capacity).toBe(1);
      await clock.sleep(60_000);
    }
    const refused = lab.sim.requests.filter(({ answer }) => answer.status === 401);
    expect(refused.length).toBeGreaterThan(0); // otherwise this test shows nothing
    expect(refused.length).toBeLessThanOrEqual(3);
  });

  it('that is refused is reported without the secret', async () => {
    const { lab, provider } = await asPrincipal(`${canary}-wrong`);
    const { ref } = await lab.makePool(1);
    const failure = await provider.pools.readPool(ref).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect(failure).toMatchObject({ code: 'azure/login-failed' });
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(canary);
  });

  it('with a federated token works', async () => {
    const lab = await open();
    const folder = await mkdtemp(join(tmpdir(), 'headstart-token-'));
    try {
      const tokenFile = join(folder, 'token');
      await writeFile(tokenFile, 'federated.token.text');
      const { tenantId } = lab.sim.inspect();
      const { clientId } = servicePrincipal;
      const choice = { kind: 'workload-identity', tenantId, clientId, tokenFile, from: 'test' } as const;
      const credential = lazyCredential(choice, lab.settings, lab.sim.caPem);
      const provider = createAzureProvider(lab.settings, { ...lab.deps, credential });
      expect((await provider.pools.readPool((await lab.makePool(1)).ref))?.capacity).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('secrets', () => {
  const canary = 'canary-custom-data-31c7';
  const customData = Buffer.from(canary).toString('base64');

  it.each<Fault['kind']>(['conflict', 'lro-failed', 'server-error', 'connection-reset', 'throttle'])(
    'in a model change do not appear when it fails with %s',
    async (kind) => {
      const lab = await open();
      const { ref } = await lab.makePool(1);
      const pool = (await lab.provider.pools.readPool(ref))!;
      lab.sim.fail({ on: 'PATCH virtualMachineScaleSets', kind, times: 100 });
      const messages: string[] = [];
      const extensions = { keep: ['health'], add: [] };
      const failure = await lab.provider.publisher
        .changeModel(
          pool,
          { image: pool.model.image, bootstrap: { customData }, extensions, tags: {} },
          { onWaiting: (what) => messages.push(what) },
        )
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      const shown = inspect(failure, { depth: 20, showHidden: true }) + messages.join('\n');
      for (const secret of [canary, customData, 'Bearer']) expect(shown).not.toContain(secret);
    },
  );

  it("of a node's disk cannot be exported from the snapshot", async () => {
    const lab = await open();
    await captured(lab);
    expect(Object.values(lab.sim.inspect().snapshots)).toMatchObject([
      {
        sku: 'Standard_LRS',
        isIncremental: false,
        properties: { networkAccessPolicy: 'DenyAll', publicNetworkAccess: 'Disabled' },
      },
    ]);
  });

  it('of the pool do not appear in any read', async () => {
    const lab = await open();
    const { ref } = await lab.makePool(2);
    const read = [
      await lab.provider.pools.readPool(ref),
      await lab.provider.publisher.readModel(ref),
      await lab.provider.pools.listInstances(ref),
    ];
    const text = JSON.stringify(read);
    expect(text).not.toContain('runcmd');
    expect(text).not.toMatch(/customData|protectedSettings/i);
  });
});

const protectedFully = { fromScaleIn: true, fromPoolActions: true };

async function captured(lab: AzureLab) {
  const { provider } = lab;
  const { ref, providerIds } = await lab.makePool(1);
  const instance = await provider.pools.locate(providerIds[0]!);
  const { osDisk, vmId } = (await provider.pools.readInstance(instance))!;
  const { region, model } = (await provider.pools.readPool(ref))!;
  const { osState, architecture, securityType } = model;
  const generation = model.generation as 'V1' | 'V2';
  const traits = { osState, generation, architecture, securityType, publisher: 'headstart', offer: 'o', sku: ref.name };
  const definition = await provider.gallery.ensureDefinition(
    { gallery: 'SIG_role', name: 'kamino-role-prototype', ...traits },
    region,
  );
  await provider.snapshots.createSnapshot({ name: 'snap', sourceDiskId: osDisk!.id, region, tags: { donor: vmId } });
  const snapshotId = (await provider.snapshots.readSnapshot('snap'))!.id;
  const terms = { replicas: 3, redundancy: 'zone', isExcludedFromLatest: true, tags: {} } as const;
  return { ref, instance, definition, spec: { definition, name: '2026.11.15', snapshotId, region, ...terms } };
}

/** Calls every method once. */
async function everything(lab: AzureLab): Promise<void> {
  const { provider, clock, sim } = lab;
  sim.meddle((world) => {
    world.patchKeepsExtensions = true; // so that extensions are deleted one by one
  });
  const { providerIds } = await lab.makePool(1);
  const donor = await provider.pools.locate(providerIds[0]!);
  expect(await provider.checkAccess!(donor.pool, 'SIG_role')).toEqual({ refusals: [], notes: [] });
  await provider.pools.listInstances(donor.pool);
  await provider.pools.setProtection(donor, protectedFully);
  await provider.pools.tagInstance(donor, { run: 'now' });
  await provider.pools.stop(donor);
  const { ref, definition, spec } = await captured(lab);
  await provider.pools.start(donor);
  await provider.pools.deallocate(donor);
  await provider.pools.start(donor);
  await provider.pools.tagInstance(donor, { run: null });
  await provider.pools.setProtection(donor, { fromScaleIn: false, fromPoolActions: false });
  await provider.gallery.beginVersion(spec);
  const isReady = async () => (await provider.gallery.listVersions(definition))[0]?.state === 'ready';
  while (!(await isReady())) await clock.sleep(120_000);
  await provider.publisher.readModel(ref);
  const original = (await provider.pools.readPool(ref))!;
  const image = { kind: 'version', id: `${definition.id}/versions/${spec.name}` } as const;
  const extensions = { keep: ['health'], add: [] };
  await provider.publisher.changeModel(original, { image, bootstrap: 'none', extensions, tags: {} });
  await provider.gallery.setExcludedFromLatest(definition, spec.name, false);
  expect([...(await provider.gallery.referencedImages(definition))]).toEqual([image.id]);
  await provider.publisher.changeModel((await provider.pools.readPool(ref))!, {
    image: original.model.image,
    bootstrap: 'none',
    extensions,
    tags: {},
  });
  await provider.pools.tagPool(ref, { run: null });
  await provider.gallery.deleteVersion(definition, spec.name);
  await provider.snapshots.deleteSnapshot('snap');
  await provider.gallery.listDefinitions(definition.gallery);
  await provider.gallery.deleteDefinition(definition);
  await provider.gallery.deleteGallery(definition.gallery);
}
