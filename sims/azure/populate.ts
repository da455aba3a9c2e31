// sims/azure/populate.ts: the world that a scenario describes.
import { addInstances, recount } from './compute/births.ts';
import type { ScaleSetScenario, Scenario } from './scenario.ts';
import type { JsonObject } from './service/json.ts';
import { fasterBy, type OperationTimes, REALISTIC } from './service/timing.ts';
import { groupId, keyOf, PROVIDER, type SimScaleSet, type SimWorld, timestamp, uuid } from './world.ts';

export function populate(
  scenario: Scenario,
  nowMs: number,
  speed = 1,
  timing: Readonly<OperationTimes> = REALISTIC,
): SimWorld {
  const world: SimWorld = {
    subscriptionId: scenario.subscription,
    tenantId: scenario.tenant,
    resourceGroups: [{ name: scenario.resourceGroup, location: scenario.region }],
    regionsWithoutZones: scenario.zoneRedundantStorage ? [] : [scenario.region],
    locks: scenario.locks.map(({ scope = `resourceGroups/${scenario.resourceGroup}`, name, level }) => ({
      scope: `/subscriptions/${scenario.subscription}/${scope}`.replace(/\/$/, ''),
      name,
      level,
    })),
    patchKeepsExtensions: scenario.patchKeepsExtensions,
    timing: fasterBy(speed, timing),
    speed,
    random: scenario.seed >>> 0,
    requests: 0,
    scaleSets: {},
    instances: {},
    disks: {},
    snapshots: {},
    galleries: {},
    definitions: {},
    versions: {},
    standbyPools: {},
    operations: {},
    buckets: {},
  };
  for (const wanted of scenario.scaleSets) addScaleSet(world, scenario, wanted, nowMs);
  return world;
}

function addScaleSet(world: SimWorld, scenario: Scenario, wanted: ScaleSetScenario, nowMs: number): void {
  const id = `${groupId(world, scenario.resourceGroup)}/${PROVIDER}/virtualMachineScaleSets/${wanted.name}`;
  const set: SimScaleSet = {
    id,
    name: wanted.name,
    location: scenario.region,
    tags: { ...wanted.tags },
    createdMs: nowMs,
    mode: wanted.mode,
    etag: 1,
    top: {
      sku: { name: wanted.size, tier: 'Standard', capacity: wanted.instances },
      ...(wanted.plan && { plan: { ...wanted.plan } }),
    },
    properties: propertiesOf(world, scenario, wanted, nowMs),
    secrets: {
      ...(wanted.customData !== undefined && { customData: Buffer.from(wanted.customData).toString('base64') }),
      protectedSettings: Object.fromEntries(
        wanted.extensions.flatMap(({ name, protectedSettings }) =>
          protectedSettings ? [[name, protectedSettings as JsonObject]] : [],
        ),
      ),
    },
    osState: wanted.osState,
    generation: wanted.generation,
    modelVersion: 1,
    nextInstance: 0,
    state: 'Succeeded',
  };
  world.scaleSets[keyOf(id)] = set;
  for (const instance of addInstances(world, set, wanted.instances, nowMs)) {
    instance.state = 'Succeeded';
    instance.power = 'running';
  }
  recount(world, set);
}

function propertiesOf(
  world: SimWorld,
  { resourceGroup }: Scenario,
  wanted: ScaleSetScenario,
  nowMs: number,
): JsonObject {
  return {
    ...(wanted.mode === 'Uniform' && { singlePlacementGroup: false }),
    orchestrationMode: wanted.mode,
    upgradePolicy: {
      mode: wanted.upgrades,
      ...(wanted.automaticOsUpgrade && {
        automaticOSUpgradePolicy: { enableAutomaticOSUpgrade: true, disableAutomaticRollback: false },
      }),
    },
    ...(wanted.instanceRepair && { automaticRepairsPolicy: { enabled: true, gracePeriod: 'PT10M' } }),
    virtualMachineProfile: {
      ...(wanted.osState === 'Generalized' && { osProfile: osProfileOf(wanted) }),
      storageProfile: {
        osDisk: {
          osType: wanted.os,
          createOption: 'FromImage',
          caching: wanted.ephemeral ? 'ReadOnly' : 'ReadWrite',
          managedDisk: {
            storageAccountType: wanted.ephemeral ? 'Standard_LRS' : 'Premium_LRS',
            ...(wanted.diskEncryptionSet !== undefined && { diskEncryptionSet: { id: wanted.diskEncryptionSet } }),
            ...(wanted.securityType === 'ConfidentialVM' && {
              securityProfile: { securityEncryptionType: 'DiskWithVMGuestState' },
            }),
          },
          diskSizeGB: wanted.osDiskGb,
          ...(wanted.ephemeral && { diffDiskSettings: { option: 'Local', placement: 'CacheDisk' } }),
        },
        imageReference: { ...wanted.image },
        ...(wanted.dataDisks.length > 0 && {
          dataDisks: wanted.dataDisks.map(({ lun, from }) => ({
            lun,
            createOption: from,
            caching: 'None',
            ...(from === 'Empty' && { diskSizeGB: 64 }),
            managedDisk: { storageAccountType: 'Premium_LRS' },
          })),
        }),
        diskControllerType: wanted.diskController,
      },
      networkProfile: networkProfileOf(world, resourceGroup, wanted.name),
      ...(wanted.securityType !== 'Standard' && {
        securityProfile: {
          securityType: wanted.securityType,
          uefiSettings: { secureBootEnabled: true, vTpmEnabled: true },
        },
      }),
      ...(wanted.spot && { priority: 'Spot', evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } }),
      ...(wanted.extensions.length > 0 && { extensionProfile: { extensions: wanted.extensions.map(extensionOf) } }),
      timeCreated: timestamp(nowMs),
    },
    overprovision: false,
    ...(wanted.hibernation && { additionalCapabilities: { hibernationEnabled: true } }),
    ...(wanted.mode === 'Uniform' && { doNotRunExtensionsOnOverprovisionedVMs: false }),
    uniqueId: uuid(world),
    platformFaultDomainCount: wanted.mode === 'Flexible' ? 1 : 5,
    timeCreated: timestamp(nowMs),
  };
}

function osProfileOf({ name, os, computerNamePrefix }: ScaleSetScenario): JsonObject {
  return {
    computerNamePrefix: computerNamePrefix ?? name,
    adminUsername: 'azureuser',
    ...(os === 'Linux'
      ? {
          linuxConfiguration: {
            disablePasswordAuthentication: true,
            ssh: {
              publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: 'ssh-ed25519 AAAA simulated' }],
            },
            provisionVMAgent: true,
          },
        }
      : { windowsConfiguration: { provisionVMAgent: true, enableAutomaticUpdates: true } }),
    secrets: [],
    allowExtensionOperations: true,
    requireGuestProvisionSignal: true,
  };
}

function networkProfileOf(world: SimWorld, group: string, name: string): JsonObject {
  const subnet = `${groupId(world, group)}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes`;
  return {
    networkInterfaceConfigurations: [
      {
        name: `${name}-nic`,
        properties: {
          primary: true,
          enableAcceleratedNetworking: true,
          dnsSettings: { dnsServers: [] },
          enableIPForwarding: true,
          ipConfigurations: [
            {
              name: 'ipconfig1',
              properties: { primary: true, subnet: { id: subnet }, privateIPAddressVersion: 'IPv4' },
            },
          ],
        },
      },
    ],
  };
}

function extensionOf({
  name,
  publisher,
  type,
  version,
  settings,
  after,
}: ScaleSetScenario['extensions'][number]): JsonObject {
  return {
    name,
    properties: {
      autoUpgradeMinorVersion: true,
      publisher,
      type,
      typeHandlerVersion: version,
      ...(settings && { settings: settings as JsonObject }),
      ...(after.length > 0 && { provisionAfterExtensions: after }),
    },
  };
}
