// vms/qemu/metadata-service/instance-document.ts: the document at /metadata/instance. As on Azure, every value is a string, empty if it does not apply.
import type { InstanceMetadata } from './instance-file.ts';

export type MetadataValue = string | readonly MetadataValue[] | { readonly [key: string]: MetadataValue };

export interface InstanceQuery {
  apiVersion: string;
  /** `extended=true`, which only provisioning agents request. */
  isExtended: boolean;
}

export function instanceDocument(instance: InstanceMetadata, { apiVersion, isExtended }: InstanceQuery): MetadataValue {
  const compute = Object.entries(computeOf(instance)).filter(([name]) => apiVersion >= (SINCE[name] ?? ''));
  return {
    compute: Object.fromEntries(compute),
    network: networkOf(instance),
    ...(isExtended &&
      apiVersion >= '2021-03-01' && {
        extended: { compute: { ppsType: instance.ppsType ?? 'None' } },
      }),
  };
}

/** The API version that introduced a field, unless the first version had it. */
const SINCE: Readonly<Record<string, string>> = {
  additionalCapabilities: '2021-11-01',
  azEnvironment: '2018-10-01',
  customData: '2019-02-01',
  evictionPolicy: '2020-12-01',
  extendedLocation: '2021-03-01',
  host: '2021-11-15',
  hostGroup: '2021-11-15',
  isHostCompatibilityLayerVm: '2020-06-01',
  isVmInStandbyPool: '2023-07-01', // not in Azure's table of versions: from the fields next to it in a published answer
  licenseType: '2020-09-01',
  osProfile: '2020-07-15',
  physicalZone: '2023-11-15',
  placementGroupId: '2017-08-01',
  plan: '2018-04-02',
  platformSubFaultDomain: '2021-10-01',
  priority: '2020-12-01',
  provider: '2018-10-01',
  publicKeys: '2018-04-02',
  resourceGroupName: '2017-08-01',
  resourceId: '2019-03-11',
  securityProfile: '2020-06-01',
  storageProfile: '2019-06-01',
  subscriptionId: '2017-08-01',
  tags: '2017-08-01',
  tagsList: '2019-06-04',
  userData: '2021-01-01',
  virtualMachineScaleSet: '2021-03-01',
  vmScaleSetName: '2017-12-01',
  zone: '2017-12-01',
};

function computeOf(instance: InstanceMetadata): Readonly<Record<string, MetadataValue>> {
  const image = { id: '', publisher: '', offer: '', sku: '', version: '', ...instance.image };
  const tags = Object.entries(instance.tags).sort(([a], [b]) => (a < b ? -1 : 1));
  const provider = `/subscriptions/${instance.subscriptionId}/resourceGroups/${instance.resourceGroupName}/providers/Microsoft.Compute`;
  return {
    additionalCapabilities: { hibernationEnabled: 'false' },
    azEnvironment: 'AzurePublicCloud',
    customData: '', // Azure has it on the provisioning disk only
    evictionPolicy: '',
    extendedLocation: { name: '', type: '' },
    host: { id: '' },
    hostGroup: { id: '' },
    isHostCompatibilityLayerVm: 'false',
    ...(instance.isVmInStandbyPool !== undefined && { isVmInStandbyPool: String(instance.isVmInStandbyPool) }),
    licenseType: '',
    location: instance.location,
    name: instance.name,
    offer: image.offer,
    osProfile: {
      adminUsername: instance.adminUsername,
      computerName: instance.name,
      disablePasswordAuthentication: 'true',
    },
    osType: 'Linux',
    physicalZone: instance.zone === undefined ? '' : `${instance.location}-AZ${instance.zone.padStart(2, '0')}`,
    placementGroupId: '',
    plan: { name: '', product: '', publisher: '' },
    platformFaultDomain: '0',
    platformSubFaultDomain: '',
    platformUpdateDomain: '0',
    priority: '',
    provider: 'Microsoft.Compute',
    publicKeys: instance.publicKeys.map((keyData) => ({
      keyData,
      path: `/home/${instance.adminUsername}/.ssh/authorized_keys`,
    })),
    publisher: image.publisher,
    resourceGroupName: instance.resourceGroupName,
    resourceId: `${provider}/virtualMachineScaleSets/${instance.pool}/virtualMachines/${instance.instanceId}`,
    securityProfile: {
      encryptionAtHost: 'false',
      secureBootEnabled: 'false',
      securityType: '',
      virtualTpmEnabled: 'false',
    },
    sku: image.sku,
    storageProfile: storageOf(instance, image, provider),
    subscriptionId: instance.subscriptionId,
    tags: tags.map(([name, value]) => `${name}:${value}`).join(';'),
    tagsList: tags.map(([name, value]) => ({ name, value })),
    userData: instance.userData ?? '',
    version: image.version,
    virtualMachineScaleSet: { id: '' }, // Azure sets it for flexible orchestration only
    vmId: instance.vmId,
    vmScaleSetName: instance.pool,
    vmSize: instance.vmSize,
    zone: instance.zone ?? '',
  };
}

function storageOf(instance: InstanceMetadata, imageReference: MetadataValue, provider: string): MetadataValue {
  const disk = `${instance.name}_OsDisk`;
  return {
    dataDisks: [],
    imageReference,
    osDisk: {
      caching: 'ReadWrite',
      createOption: 'FromImage',
      diffDiskSettings: { option: '' },
      diskSizeGB: String(instance.osDiskGb),
      encryptionSettings: { enabled: 'false' },
      image: { uri: '' },
      managedDisk: { id: `${provider}/disks/${disk}`, storageAccountType: 'Premium_LRS' },
      name: disk,
      osType: 'Linux',
      vhd: { uri: '' },
      writeAcceleratorEnabled: 'false',
    },
    resourceDisk: { size: '0' },
  };
}

/** The prefix is /7 because the guest network must contain both platform addresses. */
function networkOf({ privateIpAddress, macAddress }: InstanceMetadata): MetadataValue {
  return {
    interface: [
      {
        ipv4: {
          ipAddress: [{ privateIpAddress, publicIpAddress: '' }],
          subnet: [{ address: '168.0.0.0', prefix: '7' }],
        },
        ipv6: { ipAddress: [] },
        macAddress: macAddress.replaceAll(':', '').toUpperCase(),
      },
    ],
  };
}
