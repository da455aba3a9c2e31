// sims/azure/referee/left-out.ts: which fields do recorded answers always have that the simulator omits, and why? No other field may be missing.
import type { RecordingFinding } from './witness.ts';

const LEFT_OUT: readonly { where: RegExp; why: string }[] = [
  {
    where:
      /\/(singlePlacementGroup|placementGroupId|disableTcpStateTracking|networkSecurityGroup|loadBalancerBackendAddressPools)$/,
    why: 'networks and placement are not simulated',
  },
  {
    where: /versions\S* \d+ \S*\/storageProfile\/(source|dataDiskImages)$/,
    why: 'recorded versions were made from VMs with data disks, ours from one snapshot',
  },
  {
    where: /diskOperations\/\S+ 200 Succeeded \/properties$/,
    why: 'the recorded operations made something; a deletion has nothing to show',
  },
  { where: /snapshots\/\S+ \d+ \S*\/incrementalSnapshotFamilyId$/, why: 'the recorded snapshots were incremental' },
  { where: /\/instanceView\/vmAgent$/, why: 'recorded instances were running; one that is off has no agent' },
  { where: /\/properties\/instanceView$/, why: 'recorded lists requested its expansion' },
  { where: /\/statuses\/\[\]\/message$/, why: 'prose' },
  { where: /^PATCH virtualMachineScaleSets\/\S+ 200 \/identity/, why: 'only sets with an identity were patched' },
  {
    where: /^PATCH virtualMachineScaleSets\/\S+ 200 \/properties\/doNotRunExtensionsOnOverprovisionedVMs$/,
    why: 'only Uniform sets were patched',
  },
  {
    where: /\/imageReference\/(publisher|offer|sku|version)$/,
    why: 'recorded sets stayed on a marketplace image; a gallery image has only an id',
  },
  {
    where: /\/targetRegions\/\[\]\/encryption\/dataDiskImages$/,
    why: 'recorded keys were of versions with data disks',
  },
  {
    where: /standbyVirtualMachinePools\S* 200 \S*\/elasticityProfile\/(postProvisioningDelay|dynamicSizing)$/,
    why: 'the recorded client set them; without them the answer has only what was sent',
  },
  { where: /\/osProfile$/, why: 'recorded sets were generalized; a specialized one takes no OS profile' },
];

export function mayBeLeftOut({ operation, path }: RecordingFinding): boolean {
  return LEFT_OUT.some(({ where }) => where.test(`${operation} ${path}`));
}
