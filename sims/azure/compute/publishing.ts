// sims/azure/compute/publishing.ts: to which regions and storage does an image version replicate, and how far is it?
import { ArmError } from '../service/arm-error.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { type SimVersion, type SimWorld, timestamp } from '../world.ts';
import { regionKey, replicaCount } from './image-references.ts';

const MOST_REPLICAS = 100;

/** The profile with the service's defaults: counts and storage for every region. */
export function publishingOf(asked: JsonObject, location: string, publishedMs: number): JsonObject {
  const profile = objectAt(asked, 'publishingProfile') ?? {};
  const storage = stringAt(profile, 'storageAccountType') ?? 'Standard_LRS';
  const replicas = replicaCount({ publishingProfile: profile });
  const wanted = objectsAt(profile, 'targetRegions');
  const targets = wanted.length > 0 ? wanted : [{ name: location }];
  if (!targets.some((target) => regionKey(stringAt(target, 'name') ?? '') === regionKey(location))) {
    throw new ArmError(
      400,
      'InvalidParameter',
      `The target regions have to contain the location '${location}' of the image version.`,
    );
  }
  requireCount('replicaCount', replicas);
  for (const target of targets) requireCount('regionalReplicaCount', numberAt(target, 'regionalReplicaCount') ?? 1);
  return {
    ...profile,
    targetRegions: targets.map((target) => ({
      ...target,
      name: stringAt(target, 'name') ?? location,
      regionalReplicaCount: numberAt(target, 'regionalReplicaCount') ?? replicas,
      storageAccountType: stringAt(target, 'storageAccountType') ?? storage,
      ...encryptionShown(target),
    })),
    replicaCount: replicas,
    excludeFromLatest: profile.excludeFromLatest === true,
    publishedDate: timestamp(publishedMs),
    storageAccountType: storage,
  };
}

/** Recorded: the answer has a security profile, also an empty one. */
function encryptionShown(target: JsonObject): JsonObject {
  const encryption = objectAt(target, 'encryption');
  const osDiskImage = objectAt(encryption, 'osDiskImage');
  if (!osDiskImage) return {};
  return { encryption: { ...encryption, osDiskImage: { securityProfile: {}, ...osDiskImage } } };
}

function requireCount(parameter: string, replicas: number): void {
  if (replicas >= 1 && replicas <= MOST_REPLICAS) return;
  throw new ArmError(
    400,
    'InvalidParameter',
    `The value of parameter '${parameter}' is ${replicas}: 1 to ${MOST_REPLICAS}.`,
  );
}

/** Accepted first, refused in the operation: the failed version stays until it is deleted. */
export function zoneRefusal(world: SimWorld, publishing: JsonObject): { code: string; message: string } | undefined {
  const region = objectsAt(publishing, 'targetRegions').find(
    (target) =>
      target.storageAccountType === 'Standard_ZRS' &&
      world.regionsWithoutZones.some((without) => regionKey(without) === regionKey(stringAt(target, 'name') ?? '')),
  );
  if (!region) return undefined;
  return {
    code: 'InvalidParameter',
    message: `The storage account type 'Standard_ZRS' is not supported in region '${region.name}'.`,
  };
}

/** Follows the clock, and ends later than the operation. */
export function replicationOf(version: SimVersion, nowMs: number): JsonObject {
  const total = version.replicatedMs - version.createdMs;
  const elapsed = total <= 0 ? 100 : Math.floor((100 * (nowMs - version.createdMs)) / total);
  const hasFailed = version.state === 'Failed';
  const isDone = !hasFailed && nowMs >= version.replicatedMs && version.state !== 'Creating';
  const progress = isDone ? 100 : Math.max(0, Math.min(99, elapsed));
  return {
    aggregatedState: hasFailed ? 'Failed' : isDone ? 'Completed' : 'InProgress',
    summary: objectsAt(version.properties, 'publishingProfile', 'targetRegions').map((target) => ({
      region: stringAt(target, 'name') ?? '',
      state: hasFailed ? 'Failed' : isDone ? 'Completed' : 'Replicating',
      details: hasFailed ? (version.failure ?? '') : '',
      progress,
    })),
  };
}
