// prototype/run/limits.ts: which limits of the cloud make a prototype of this pool impossible? Checked before the donor is touched.
import { unfitFields } from '../../vms/gallery.ts';
import { PUBLISHER } from '../names.ts';
import { readPrior } from './prior.ts';
import { needsCapture, type Scene } from './scene.ts';
import { prototypeDefinitionSpec } from './steps/ensure-definition.ts';

/** A refusal of preflight.ts. */
interface Limit {
  code: string;
  reason: string;
  next: string;
}

/** Of one image version; `--replicas` has the same limit. */
export const MOST_REPLICAS = 100;

export function limitRefusals(scene: Scene): Limit[] {
  return [...aboutImage(scene), ...aboutInstances(scene), ...aboutDefinition(scene), ...aboutDonorDisk(scene)];
}

/** What the operator should know of a run that is not refused. */
export function limitNotes({ world }: Scene): string[] {
  const { definition } = world;
  if (!definition || definition.publisher === PUBLISHER) return [];
  return [
    `the image definition ${definition.name} was made by another tool (publisher ${definition.publisher}); it fits, so versions are added to it; its versions count for --image-history, and uninstall keeps it`,
  ];
}

function aboutImage({ world }: Scene): Limit[] {
  const { ref, model } = world.pool;
  if (model.image.kind === 'managed') {
    return [
      {
        code: 'prototype/managed-image',
        reason: `${ref.name} starts from the managed image ${model.image.id}: it is not known whether Azure lets such a pool move to a gallery`,
        next: 'make a pool that starts from a gallery or marketplace image, and take the prototype from it',
      },
    ];
  }
  if (model.image.kind !== 'other') return [];
  return [
    {
      code: 'prototype/no-image',
      reason:
        model.image.id === ''
          ? `${ref.name} has no image in its model (a flexible scale set without a VM profile, or disks that are not managed): a run could not point it at a version`
          : `${ref.name} starts from ${model.image.id}, an image of an unknown kind: the way back could not be written`,
      next: 'make a pool that starts from a gallery or marketplace image, and take the prototype from it',
    },
  ];
}

function aboutInstances({ world, intent }: Scene): Limit[] {
  const { ref, model } = world.pool;
  const found: Limit[] = [];
  const refuse = (code: string, reason: string, next: string) =>
    found.push({ code: `prototype/${code}`, reason, next });
  if (model.securityType === 'ConfidentialVM') {
    refuse(
      'confidential',
      `${ref.name} runs confidential VMs: their disks are bound to the machine and cannot become an image this way`,
      'choose a pool without confidential VMs',
    );
  }
  if (model.generation === 'unknown') {
    refuse(
      'unknown-generation',
      `neither the disks nor the instances of ${ref.name} say whether they boot with BIOS or UEFI (generation V1 or V2)`,
      'start an instance of the pool and run the same command again',
    );
  }
  if (model.diskController === 'unknown') {
    refuse(
      'unknown-disk-controller',
      `the VM size of ${ref.name} may need NVMe disks, and neither the pool nor its disks say which controller they use`,
      `set diskControllerType in the storage profile of ${ref.name}`,
    );
  }
  if (model.diskController === 'NVMe' && model.generation === 'V1') {
    refuse(
      'nvme-generation',
      `${ref.name} attaches its disks by NVMe, which Azure supports for generation 2 only, and its instances are generation 1`,
      'choose a pool of generation 2',
    );
  }
  if (model.hasDataDisksFromImage) {
    refuse(
      'data-disks',
      `the instances of ${ref.name} get data disks from their image, and a prototype has the OS disk only`,
      `make the data disks of ${ref.name} empty ones, or choose another pool`,
    );
  }
  if (model.edgeZone !== undefined) {
    refuse(
      'edge-zone',
      `${ref.name} is in the edge zone ${model.edgeZone}: versions are replicated to ${world.pool.region} only`,
      'choose a pool in the region itself',
    );
  }
  if (intent.replicas > MOST_REPLICAS) {
    refuse(
      'too-many-replicas',
      `a version has at most ${MOST_REPLICAS} replicas, not ${intent.replicas}`,
      `give --replicas ${MOST_REPLICAS} or less`,
    );
  }
  return found;
}

/** preflight.ts refuses another OS state; every other field that cannot change is compared here. */
function aboutDefinition(scene: Scene): Limit[] {
  const { definition, pool } = scene.world;
  if (!definition || pool.model.generation === 'unknown') return [];
  const wanted = { ...prototypeDefinitionSpec(scene), osState: definition.osState };
  const lacksNvme =
    pool.model.diskController === 'NVMe' && !/nvme/i.test(definition.imageFeatures?.DiskControllerTypes ?? '');
  const differences = [
    ...unfitFields(definition, wanted),
    ...(lacksNvme ? ['it has no feature DiskControllerTypes with NVMe, which the instances need'] : []),
  ];
  if (differences.length === 0) return [];
  const maker = definition.publisher === PUBLISHER ? '' : ` (publisher ${definition.publisher})`;
  return [
    {
      code: 'prototype/definition-differs',
      reason: `the image definition ${definition.name}${maker} in ${definition.gallery} does not fit ${pool.ref.name}: ${differences.join('; ')}`,
      next: 'use another gallery (--gallery), or delete the definition if nothing uses its versions',
    },
  ];
}

/** The donor's own disk may differ from what new instances get. */
function aboutDonorDisk(scene: Scene): Limit[] {
  const { world, intent, run } = scene;
  const { model, ref } = world.pool;
  const disk = world.donor?.osDisk;
  if (!disk || !needsCapture(scene) || readPrior(world.node)?.run === run.id) return [];
  const found: Limit[] = [];
  const refuse = (code: string, reason: string, next = 'choose a donor that was made from the current model') =>
    found.push({ code: `prototype/${code}`, reason, next });
  if (disk.isEncryptedInGuest) {
    refuse(
      'encrypted-in-guest',
      `the OS disk of ${intent.nodeName} is encrypted by Azure Disk Encryption with a key of that machine: a copy could not boot`,
      'choose a pool without Azure Disk Encryption; keys of a disk encryption set are supported',
    );
  }
  const isKnown = disk.securityType !== undefined; // read from the disk, and with it the key
  if (isKnown && !isSameId(disk.diskEncryptionSetId, model.diskEncryptionSetId)) {
    refuse(
      'other-key',
      `the OS disk of ${intent.nodeName} is encrypted with ${keyText(disk.diskEncryptionSetId)}, and new instances of ${ref.name} with ${keyText(model.diskEncryptionSetId)}: Azure makes no disk from an image with another key`,
    );
  }
  if (isKnown && disk.securityType !== model.securityType && model.securityType !== 'ConfidentialVM') {
    refuse(
      'other-security-type',
      `the OS disk of ${intent.nodeName} is of security type ${disk.securityType}, and ${ref.name} makes ${model.securityType} instances`,
    );
  }
  if (disk.generation && model.generation !== 'unknown' && disk.generation !== model.generation) {
    refuse(
      'other-generation',
      `${intent.nodeName} is of generation ${disk.generation}, and ${ref.name} makes instances of generation ${model.generation}`,
    );
  }
  return found;
}

function isSameId(a: string | undefined, b: string | undefined): boolean {
  return (a ?? '').toLowerCase() === (b ?? '').toLowerCase();
}

function keyText(setId: string | undefined): string {
  return setId === undefined ? 'the key of the platform' : `the disk encryption set ${setId.split('/').at(-1)}`;
}
