// local/read-identities.ts: what identifies the instances of local pools? A running one is asked; of a parked one it was kept.
import type { CallOptions } from '../base/call-options.ts';
import { UserError } from '../base/errors.ts';
import { type ClockOffset, isKnown, type MachineIdentity, unknownIdentity } from '../identity/identity.ts';
import type { Instance, PoolRef } from '../vms/pools.ts';
import { readIdentity } from '../vms/qemu/guest/read-identity.ts';
import type { GuestClockReading, QemuProvider } from '../vms/qemu/local-provider.ts';
import { type KeptIdentity, readKeptIdentity } from '../vms/qemu/standby/identity-record.ts';
import { callGuest, requireRunning } from './call-guest.ts';

/** In service and parked; not those that are being prepared or discarded. */
async function instancesOf(provider: QemuProvider, pool: PoolRef, options: CallOptions): Promise<Instance[]> {
  const members = (await provider.standby.readStandby(pool, options))?.members ?? [];
  const parked = members.filter(({ state }) => state === 'ready');
  const read = await Promise.all(parked.map(({ instance }) => provider.pools.readInstance(instance, options)));
  return [...(await provider.pools.listInstances(pool, options)), ...read.filter((one) => one !== undefined)];
}

/** Throws when nothing is known of an instance: it is off and was never parked, or its guest does not answer. */
export function readIdentities(
  provider: QemuProvider,
  instances: readonly Instance[],
  options: CallOptions,
): Promise<MachineIdentity[]> {
  return Promise.all(instances.map((instance) => identityOf(provider, instance, options)));
}

/** Of all instances of a pool. One that is off and was never parked is listed, with nothing known. */
export async function readPoolIdentities(
  provider: QemuProvider,
  pool: PoolRef,
  options: CallOptions,
): Promise<MachineIdentity[]> {
  const instances = await instancesOf(provider, pool, options);
  return Promise.all(
    instances.map(async (instance) => {
      const { computerName, power } = instance;
      const isSilent = power !== 'running' && !(await keptOf(provider, instance));
      return isSilent
        ? unknownIdentity(computerName, `the machine is ${power}`)
        : identityOf(provider, instance, options);
    }),
  );
}

async function identityOf(provider: QemuProvider, instance: Instance, options: CallOptions): Promise<MachineIdentity> {
  const { ref, computerName: name } = instance;
  const kept = await keptOf(provider, instance);
  if (kept && instance.power !== 'running') return { ...kept.identity, name };
  requireRunning(instance);
  return callGuest(instance, async () => {
    const parsed = await readIdentity((argv, limits) => provider.guests.runInGuest(ref, argv, limits), name, options);
    if (!parsed)
      throw new UserError(`the guest of ${name} did not say what identifies it`, {
        code: 'pool/no-identity',
        next: `headstart pool exec ${name} -- sh -c true`,
        exitCode: 1,
      });
    const clock = offsetOf(await provider.guests.readClock(ref, options));
    return { ...withEarlier(parsed.identity, kept), clock };
  });
}

async function keptOf(provider: QemuProvider, { ref }: Instance): Promise<KeptIdentity | undefined> {
  return readKeptIdentity((await provider.guests.readDetails(ref)).folder);
}

/** A kernel that continues from memory older than the freeze, without new entropy, draws the random bytes of then again. */
function withEarlier(identity: MachineIdentity, kept: KeptIdentity | undefined): MachineIdentity {
  const [now, before] = [identity.facts['random-bytes'], kept?.identity.facts['random-bytes']];
  if (!before || !isKnown(now) || !isKnown(before)) return identity;
  const values = [...now.values, ...before.values.map(({ value }) => ({ value, of: 'when it was parked' }))];
  return { ...identity, facts: { ...identity.facts, 'random-bytes': { values } } };
}

function offsetOf({ guestMs, hostBeforeMs, hostAfterMs }: GuestClockReading): ClockOffset {
  return { offsetMs: guestMs - (hostBeforeMs + hostAfterMs) / 2, errorMs: (hostAfterMs - hostBeforeMs) / 2 };
}
