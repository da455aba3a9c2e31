// sims/azure/compute/instance-view.ts: what does the platform report about an instance now?
import { type JsonObject, stringAt } from '../service/json.ts';
import { keyOf, type Power, type SimInstance, type SimScaleSet, type SimWorld, timestamp } from '../world.ts';

const DISPLAY: Readonly<Record<Power, string>> = {
  running: 'VM running',
  stopped: 'VM stopped',
  deallocated: 'VM deallocated',
  starting: 'VM starting',
  stopping: 'VM stopping',
  deallocating: 'VM deallocating',
  hibernated: 'VM deallocated',
  hibernating: 'VM deallocating',
};

/** A hibernated VM is a deallocated one with one more status. */
export function powerCode(power: Power): string {
  return `PowerState/${power.replace('hibernat', 'deallocat')}`;
}

function hibernationOf(power: Power): JsonObject[] {
  return power === 'hibernated'
    ? [{ code: 'HibernationState/Hibernated', level: 'Info', displayStatus: 'VM hibernated' }]
    : [];
}

export function instanceView(world: SimWorld, set: SimScaleSet, instance: SimInstance): JsonObject {
  const time = timestamp(instance.createdMs);
  const succeeded = {
    code: 'ProvisioningState/succeeded',
    level: 'Info',
    displayStatus: 'Provisioning succeeded',
    time,
  };
  const disk = instance.osDiskId === null ? undefined : world.disks[keyOf(instance.osDiskId)];
  const isUp = instance.power === 'running';
  return {
    ...(set.mode === 'Uniform' && { placementGroupId: placementGroupOf(set) }),
    platformUpdateDomain: 0,
    platformFaultDomain: 0,
    computerName: instance.computerName,
    osName: 'ubuntu',
    osVersion: '24.04',
    ...(isUp && {
      vmAgent: {
        vmAgentVersion: '2.15.0.1',
        statuses: [
          {
            code: 'ProvisioningState/succeeded',
            level: 'Info',
            displayStatus: 'Ready',
            message: 'Guest Agent is running',
            time,
          },
        ],
        extensionHandlers: [],
      },
    }),
    ...(disk && { disks: [{ name: disk.name, statuses: [succeeded] }] }),
    extensions: instance.birth.extensions.map((extension) => ({
      name: stringAt(extension, 'name') ?? '',
      type: `${stringAt(extension, 'properties', 'publisher')}.${stringAt(extension, 'properties', 'type')}`,
      typeHandlerVersion: stringAt(extension, 'properties', 'typeHandlerVersion') ?? '1.0',
      statuses: [succeeded],
    })),
    hyperVGeneration: set.generation,
    statuses: [
      instance.state === 'Succeeded' ? succeeded : provisioning(instance, time),
      { code: powerCode(instance.power), level: 'Info', displayStatus: DISPLAY[instance.power] },
      ...hibernationOf(instance.power),
    ],
  };
}

function provisioning({ state }: SimInstance, time: string): JsonObject {
  const word = state.toLowerCase();
  return {
    code: `ProvisioningState/${word}`,
    level: state === 'Failed' ? 'Error' : 'Info',
    displayStatus: state,
    time,
  };
}

function placementGroupOf(set: SimScaleSet): string {
  return stringAt(set.properties, 'uniqueId') ?? '00000000-0000-0000-0000-000000000000';
}
