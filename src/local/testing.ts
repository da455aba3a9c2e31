// local/testing.ts: local pools in memory: the fake provider plus the local extensions. Tests set how guests answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Conflict, NotFound } from '../base/failures.ts';
import { type FakeClock, fakeClock } from '../base/fake-clock.ts';
import { type FakeProvider, fakeProvider } from '../vms/fake/fake-provider.ts';
import type { InstanceRef, PoolRef } from '../vms/pools.ts';
import { parseProviderId } from '../vms/qemu/home/layout.ts';
import type { GuestRunOptions, GuestRunResult, PoolSpec, QemuProvider } from '../vms/qemu/local-provider.ts';
import { type Claim, STANDBY_TIERS, type StandbyState } from '../vms/standby.ts';

export interface FakePools extends QemuProvider, Pick<FakeProvider, 'state'> {
  clock: FakeClock;
  specs: Map<string, PoolSpec>;
  /** Instance name → user data set for that instance. */
  userData: Map<string, string>;
  /** Commands that ran in guests. */
  ran: { instance: string; argv: readonly string[]; input: string }[];
  /** How guests answer. */
  guest: (argv: readonly string[], options: GuestRunOptions) => Partial<GuestRunResult> | Error;
  /** Thrown by `awaitUp`; undefined means the instance is up. */
  trouble: Error | undefined;
  /** Why a claimed guest that continued boots while it is awaited. */
  whyBoot: string | undefined;
  /** Pool name → its standby nodes. */
  standbyStates: Map<string, StandbyState>;
  /** Pools whose standby nodes are prepared in the background. */
  refilled: string[];
  /** Adds an image like `headstart pool base`. */
  addImage(gallery: string, name: string, version: string): Promise<string>;
}

/** `folder` holds the files that verbs read: consoles and keys. */
export function fakePools(folder: string, clock: FakeClock = fakeClock()): FakePools {
  const fake = fakeProvider(clock);
  const poolAt = (ref: PoolRef) => {
    const pool = fake.state.pools.get(ref.id);
    if (!pool) throw new NotFound(`pool ${ref.name}`);
    return pool;
  };
  const named = ({ pool, id }: InstanceRef) => {
    const instance = poolAt(pool).instances.find(({ ref }) => ref.id === id);
    if (!instance) throw new NotFound(`instance ${id}`);
    return instance;
  };
  const refOf = (name: string): PoolRef => ({ id: `pools/${name}`, name });

  const pools: FakePools = {
    ...fake,
    clock,
    specs: new Map(),
    userData: new Map(),
    ran: [],
    guest: () => ({}),
    trouble: undefined,
    whyBoot: undefined,
    standbyStates: new Map(),
    refilled: [],
    async addImage(gallery, name, version) {
      const definition = await fake.gallery.ensureDefinition(
        {
          gallery,
          name,
          osState: 'generalized',
          generation: 'V2',
          architecture: 'x64',
          securityType: 'Standard',
          publisher: 'headstart',
          offer: gallery,
          sku: name,
        },
        'local',
      );
      const id = `galleries/${gallery}/${name}/${version}`;
      fake.state.versions.set(id, {
        id,
        definition,
        name: version,
        snapshotId: '',
        region: 'local',
        replicas: 1,
        redundancy: 'local',
        isExcludedFromLatest: false,
        tags: {},
        createdMs: 0,
        isSealed: false,
      });
      return id;
    },

    pools: {
      ...fake.pools,
      async locate(providerId) {
        const ref = parseProviderId(providerId);
        return named(ref).ref;
      },
      parseProviderId(providerId) {
        const { id, pool } = parseProviderId(providerId);
        return { instanceId: id, poolId: pool.id };
      },
      listInstances: async (ref) => structuredClone(poolAt(ref).instances),
      async createPool(spec) {
        if (fake.state.pools.has(`pools/${spec.name}`)) throw new Conflict(`pool ${spec.name} exists`);
        const pool = fake.addPool(spec.name, 0, { image: spec.image, extensions: [] });
        fake.state.pools.delete(pool.ref.id);
        const own = {
          ...pool,
          ref: refOf(spec.name),
          customData: spec.customData,
          settings: {},
          protectedSettings: {},
          instances: [],
        };
        fake.state.pools.set(own.ref.id, own);
        pools.specs.set(spec.name, structuredClone(spec));
        return own;
      },
      listPools: async () => [...fake.state.pools.values()],
      async deletePool(ref, options) {
        options?.signal?.throwIfAborted();
        fake.state.pools.delete(ref.id);
      },
      readSpec: async (ref) => structuredClone(pools.specs.get(poolAt(ref).ref.name)!),
      async setCapacity(ref, capacity, options) {
        const pool = poolAt(ref);
        const made = [];
        while (pool.instances.length < capacity) {
          options?.signal?.throwIfAborted();
          made.push({ ...fake.scaleOut(ref), from: 'cold' as const });
        }
        while (pool.instances.length > capacity) pool.instances.pop();
        return made;
      },
      async deleteInstance({ pool, id }) {
        const { instances } = poolAt(pool);
        instances.splice(
          instances.findIndex(({ ref }) => ref.id === id),
          1,
        );
      },
      async reimage(ref) {
        const instance = named(ref);
        instance.image = poolAt(ref.pool).model.image;
        instance.power = 'running';
      },
      async setUserData(target, userData) {
        if ('pool' in target) {
          const { computerName } = named(target);
          if (userData === null) pools.userData.delete(computerName);
          else pools.userData.set(computerName, userData);
          return;
        }
        const { userData: _, ...spec } = pools.specs.get(target.name)!;
        pools.specs.set(target.name, userData === null ? spec : { ...spec, userData });
      },
    },
    standby: {
      readStandby: async (ref) => structuredClone(pools.standbyStates.get(poolAt(ref).ref.name)),
      async setStandby(ref, policy, options = {}) {
        const { members = [], policy: before } = pools.standbyStates.get(poolAt(ref).ref.name) ?? {};
        if ('from' in options && !isDeepStrictEqual(options.from, before))
          throw new Conflict(`the policy of ${ref.name}`);
        pools.standbyStates.set(ref.name, { policy, members });
      },
      deleteStandby: async (ref) => void pools.standbyStates.delete(poolAt(ref).ref.name),
      async claim(ref, count) {
        const state = pools.standbyStates.get(ref.name);
        return Array.from({ length: count }, (): Claim => {
          const member = state?.members.find((one) => one.state === 'ready');
          if (state && member) state.members = state.members.filter((one) => one !== member);
          return {
            instance: fake.scaleOut(ref),
            from: member?.tier ?? 'cold',
            ...(!member && { why: 'none is ready' }),
          };
        });
      },
      continueUnfinished: async () => ({ claims: [] }),
      async fillStandby(ref, options) {
        const state = pools.standbyStates.get(ref.name);
        const missing = STANDBY_TIERS.flatMap((tier) => {
          const has = state?.members.filter((member) => member.tier === tier).length ?? 0;
          return Array.from({ length: Math.max(0, (state?.policy.counts[tier] ?? 0) - has) }, () => tier);
        });
        for (const tier of missing) {
          options?.onStep?.(`preparing one ${tier}`);
          const instance = { pool: ref, id: `${ref.name}-s${state!.members.length + 1}` };
          state!.members.push({ instance, tier, state: 'ready', why: 'parked 0 ago', parkedMs: clock.nowMs() });
        }
        return { prepared: [], discarded: [], isBusy: false };
      },
      refill: async (ref) => void pools.refilled.push(ref.name),
    },
    guests: {
      async awaitUp(ref, options) {
        named(ref);
        options.onWaiting?.('cloud-init to finish');
        options.signal?.throwIfAborted();
        if (pools.trouble) throw pools.trouble;
        if (pools.whyBoot !== undefined) options.onBoot?.(pools.whyBoot);
      },
      isUp: async (ref) => named(ref).power === 'running' && !pools.trouble,
      async runInGuest(ref, argv, options) {
        options.signal?.throwIfAborted();
        pools.ran.push({
          instance: named(ref).computerName,
          argv,
          input: options.input === undefined ? '' : Buffer.from(options.input).toString(),
        });
        const answer = pools.guest(argv, options);
        if (answer instanceof Error) throw answer;
        return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), ...answer };
      },
      readClock: async () => ({ guestMs: clock.nowMs(), hostBeforeMs: clock.nowMs(), hostAfterMs: clock.nowMs() }),
      async readDetails(ref) {
        const { computerName } = named(ref);
        const consoleLog = join(folder, `${computerName}.log`);
        writeFileSync(consoleLog, '', { flag: 'a' });
        return {
          folder: join(folder, 'instances', computerName),
          consoleLog,
          disk: join(folder, `${computerName}.qcow2`),
          startedMs: clock.nowMs() - 60_000,
          sshPort: 40022,
          address: '168.0.0.15',
        };
      },
    },
  };
  return pools;
}
