// The real SDK and identity library against the simulator, every exchange before the referee.
import { ComputeManagementClient, type ComputeManagementClientOptionalParams } from '@azure/arm-compute';
import { ClientAssertionCredential, ClientSecretCredential } from '@azure/identity';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Referee, seatReferee } from './referee/referee.ts';
import { type AzureSim, startAzureSim } from './start.ts';

const PINNED: Readonly<Record<string, string>> = {
  '2026-04-01': '2024-07-01',
  '2026-03-02': '2024-03-02',
  '2025-12-03': '2024-03-03',
};
const EMPTY = Buffer.from('#cloud-config\n').toString('base64');

let referee: Referee;
beforeAll(async () => {
  referee = await seatReferee();
});
let sim: AzureSim;
afterEach(() => sim?.stop());

function clientOf({ url, caPem, clock, inspect }: AzureSim): ComputeManagementClient {
  const options: ComputeManagementClientOptionalParams = {
    endpoint: url,
    tlsOptions: { ca: caPem },
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [
      {
        position: 'perCall',
        policy: {
          name: 'pin',
          sendRequest: (request, next) => {
            const pin = (_: string, before: string, version: string) => `${before}${PINNED[version] ?? version}`;
            request.url = request.url.replace(/([?&]api-version=)([^&]+)/, pin);
            return next(request);
          },
        },
      },
      {
        position: 'perRetry',
        policy: { name: 'hold-time', sendRequest: (request, next) => clock.during(() => next(request)) },
      },
    ],
  };
  const credential = { getToken: async () => ({ token: 'test', expiresOnTimestamp: Date.now() + 3_600_000 }) };
  return new ComputeManagementClient(credential, inspect().subscriptionId, options);
}

interface Poller<T> {
  submitted(): Promise<void>;
  poll(): Promise<unknown>;
  isDone: boolean;
  result: T | undefined;
}

/** Waits on the simulator's clock, never on a timer. */
async function done<T>(poller: Poller<T>): Promise<T | undefined> {
  await poller.submitted();
  while (!poller.isDone) {
    await sim.clock.sleep(15_000);
    await poller.poll();
  }
  return poller.result;
}

describe.each(['Uniform', 'Flexible'] as const)('the whole operation on a %s set', (mode) => {
  it('ends with a new instance that starts from the donor, and the referee rejects nothing', async () => {
    sim = await startAzureSim({
      referee,
      scenario: {
        cluster: 'demo',
        resourceGroup: 'demo',
        scaleSets: [
          {
            name: 'pool1',
            mode,
            customData: '#cloud-config\nruncmd: [join]\n',
            extensions: [{ name: 'cse', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' }],
          },
        ],
      },
    });
    const client = clientOf(sim);
    const set = await client.virtualMachineScaleSets.get('demo', 'pool1');
    const ids: string[] = [];
    for await (const { instanceId } of client.virtualMachineScaleSetVMs.list('demo', 'pool1')) ids.push(instanceId!);
    const donor = ids[0]!;
    const { location } = set;

    await done(
      client.virtualMachineScaleSetVMs.update('demo', 'pool1', donor, {
        location,
        protectionPolicy: { protectFromScaleIn: true },
      }),
    );
    const isUniform = mode === 'Uniform';
    const vm = isUniform
      ? await client.virtualMachineScaleSetVMs.get('demo', 'pool1', donor)
      : await client.virtualMachines.get('demo', donor);
    await done<void>(
      isUniform
        ? client.virtualMachineScaleSetVMs.powerOff('demo', 'pool1', donor)
        : client.virtualMachines.powerOff('demo', donor),
    );
    const sourceResourceId = vm.storageProfile!.osDisk!.managedDisk!.id!;
    const snapshot = await done(
      client.snapshots.createOrUpdate('demo', 'snap', {
        location,
        tags: { donor },
        creationData: { createOption: 'Copy', sourceResourceId },
      }),
    );
    expect(snapshot?.provisioningState).toBe('Succeeded');
    await done<void>(
      isUniform
        ? client.virtualMachineScaleSetVMs.start('demo', 'pool1', donor)
        : client.virtualMachines.start('demo', donor),
    );
    const view = isUniform
      ? await client.virtualMachineScaleSetVMs.getInstanceView('demo', 'pool1', donor)
      : await client.virtualMachines.instanceView('demo', donor);
    expect(view.statuses?.map(({ code }) => code)).toContain('PowerState/running');

    await done(client.galleries.createOrUpdate('demo', 'SIG_demo', { location }));
    await done(
      client.galleryImages.createOrUpdate('demo', 'SIG_demo', 'proto', {
        location,
        osType: 'Linux',
        osState: 'Generalized',
        hyperVGeneration: 'V2',
        identifier: { publisher: 'headstart', offer: 'demo', sku: 'pool1' },
      }),
    );
    const version = await done(
      client.galleryImageVersions.createOrUpdate('demo', 'SIG_demo', 'proto', '2026.11.15', {
        location,
        storageProfile: { osDiskImage: { source: { id: snapshot!.id! } } },
        publishingProfile: {
          replicaCount: 3,
          storageAccountType: 'Standard_ZRS',
          excludeFromLatest: true,
          targetRegions: [{ name: location }],
        },
      }),
    );
    expect(sim.clock.nowMs() - Date.parse('2026-11-15T08:00:00Z')).toBeGreaterThan(40 * 60_000);
    await sim.clock.sleep(3 * 60_000);
    const { replicationStatus } = await client.galleryImageVersions.get('demo', 'SIG_demo', 'proto', '2026.11.15', {
      expand: 'ReplicationStatus',
    });
    expect(replicationStatus?.aggregatedState).toBe('Completed');

    const { etag } = await client.virtualMachineScaleSets.get('demo', 'pool1');
    const noMarketplace = { publisher: null, offer: null, sku: null, version: null } as unknown as object; // null removes; the type knows only strings
    await done(
      client.virtualMachineScaleSets.update(
        'demo',
        'pool1',
        {
          virtualMachineProfile: {
            storageProfile: { imageReference: { id: version!.id!, ...noMarketplace } },
            osProfile: { customData: EMPTY },
            extensionProfile: { extensions: [] },
          },
        },
        { ifMatch: etag! },
      ),
    );
    await done(client.virtualMachineScaleSets.update('demo', 'pool1', { sku: { name: set.sku!.name!, capacity: 4 } }));
    await done(client.snapshots.delete('demo', 'snap'));

    const born = Object.values(sim.inspect().instances).at(-1)!;
    expect(born.birth).toMatchObject({ exactVersion: '2026.11.15', customData: EMPTY, extensions: [] });
    expect(born.power).toBe('running');
    expect(sim.violations).toEqual([]);
    expect(sim.requests.filter(({ answer }) => answer.status >= 400)).toEqual([]);
    const { checked, rejected } = await referee.report();
    expect(rejected).toEqual([]);
    if (referee.sat) expect(checked).toBeGreaterThan(50);
  });
});

describe('faults on the wire', () => {
  const scenario = { cluster: 'demo', resourceGroup: 'demo', scaleSets: [{ name: 'pool1', instances: 1 }] };

  it('a reset comes before the request is handled, a lost answer after it was executed', async () => {
    sim = await startAzureSim({ scenario });
    const client = clientOf(sim);
    const stop = () => done(client.virtualMachineScaleSetVMs.powerOff('demo', 'pool1', '0'));
    sim.fail({ on: 'POST powerOff', kind: 'connection-reset' });
    await expect(stop()).rejects.toThrow();
    expect(sim.requests).toHaveLength(0);
    sim.fail({ on: 'POST powerOff', kind: 'answer-lost' });
    await expect(stop()).rejects.toThrow();
    await sim.clock.sleep(60_000);
    expect(Object.values(sim.inspect().instances)[0]!.power).toBe('stopped');
  });

  it('a change by another client is detected by the ETag', async () => {
    sim = await startAzureSim({ scenario });
    const client = clientOf(sim);
    const { etag } = await client.virtualMachineScaleSets.get('demo', 'pool1');
    sim.meddle((world) => {
      for (const set of Object.values(world.scaleSets)) set.etag += 1;
    });
    const change = done(client.virtualMachineScaleSets.update('demo', 'pool1', { tags: {} }, { ifMatch: etag! }));
    await expect(change).rejects.toMatchObject({ statusCode: 412, code: 'PreconditionFailed' });
  });

  it('a role is enforced, and its unneeded actions are listed', async () => {
    const actions = ['Microsoft.Compute/virtualMachineScaleSets/read', 'Microsoft.Compute/snapshots/write'];
    sim = await startAzureSim({ scenario, role: { actions } });
    const client = clientOf(sim);
    await client.virtualMachineScaleSets.get('demo', 'pool1');
    await expect(client.disks.get('demo', 'x')).rejects.toMatchObject({ statusCode: 403, code: 'AuthorizationFailed' });
    expect(sim.roles.used()).toEqual(['Microsoft.Compute/virtualMachineScaleSets/read']);
    expect(sim.roles.unneeded()).toEqual(['Microsoft.Compute/snapshots/write']);
  });
});

describe('logging in with the identity library', () => {
  const SCOPE = 'https://management.azure.com/.default';

  async function start() {
    const started = await startAzureSim({
      clock: systemClock,
      scenario: { cluster: 'demo', resourceGroup: 'demo', scaleSets: [{ name: 'pool1', instances: 0 }] },
      servicePrincipal: { clientId: 'client', clientSecret: 'canary-right-secret' },
    });
    const options = {
      authorityHost: started.url,
      disableInstanceDiscovery: true,
      tlsOptions: { ca: started.caPem },
      retryOptions: { maxRetries: 0 },
    };
    return { started, options, tenant: started.inspect().tenantId };
  }

  it('a service principal gets a token with its secret, and none with another', async () => {
    const { started, options, tenant } = await start();
    const right = await new ClientSecretCredential(tenant, 'client', 'canary-right-secret', options).getToken(SCOPE);
    expect(right.expiresOnTimestamp).toBeGreaterThan(Date.now());
    const wrong = new ClientSecretCredential(tenant, 'client', 'wrong', options).getToken(SCOPE);
    await expect(wrong).rejects.toMatchObject({ name: 'AuthenticationRequiredError' });
    await started.stop();
  });

  it('a federated workload gets one for its assertion', async () => {
    const { started, options, tenant } = await start();
    const token = await new ClientAssertionCredential(tenant, 'client', async () => 'a.b.c', options).getToken(SCOPE);
    expect(token.token.split('.')).toHaveLength(3);
    await started.stop();
  });
});
