// vms/qemu/pools/pools.ts: make, find, read and delete pools. A pool is a folder with a record and one folder per instance.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { Conflict, NotFound } from '../../../base/failures.ts';
import { didYouMean, fewNames } from '../../../base/nearest-names.ts';
import { withLock } from '../../../host/locks.ts';
import { runTool } from '../../../host/run-tool.ts';
import { removeAtomically, visibleIn } from '../../../host/whole-folders.ts';
import type { Model, Pool, PoolRef } from '../../pools.ts';
import type { Home, QemuContext } from '../context.ts';
import {
  allRecordsOf,
  instanceRecordsOf,
  poolRecordOf,
  readPoolRecord,
  writePoolRecord,
} from '../home/instance-records.ts';
import {
  homeLock,
  instanceFolder,
  instancesFolder,
  isPoolName,
  poolFolder,
  poolKey,
  poolRef,
  poolsFolder,
} from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { type PoolRecord, specSchema, toExtension } from '../home/records.ts';
import { resolveVersion } from '../home/version-records.ts';
import { readDefinition } from '../images/galleries.ts';
import type { PoolSpec } from '../local-provider.ts';
import { isServiceAddress } from '../machine/addresses.ts';
import { region } from '../machine/metadata.ts';
import { removeNode } from './admission.ts';

export async function createPool(context: QemuContext, given: PoolSpec, options: CallOptions = {}): Promise<Pool> {
  const { home, run } = context;
  const spec = checkSpec(given);
  const ref = poolRef(spec.name);
  const folder = poolFolder(home, spec.name);
  return lockPool(context.home, ref, `creating pool ${spec.name}`, options, async () => {
    if (readPoolRecord(home, ref)) throw new Conflict(`pool ${spec.name} exists`);
    resolveVersion(home, spec.image);
    // A folder without a record is left over from a killed command.
    await rm(folder, { recursive: true, force: true });
    await mkdir(instancesFolder(home, spec.name), { recursive: true, mode: 0o700 });
    const comment = `headstart pool ${spec.name}`;
    await runTool(
      run,
      ['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', join(folder, poolKey)],
      options.signal,
    );
    const record = await withLock(
      context.home,
      { name: homeLock, why: `creating pool ${spec.name}` },
      options,
      async () =>
        writePoolRecord(home, {
          revision: 0,
          modelRevision: 1,
          nextInstance: 1,
          traits: await traitsOf(home, spec.image),
          spec,
        }),
    );
    return toPool(home, record);
  });
}

/** Matches the name or the id, ignoring case. */
export async function findPool({ home }: Home, name: string): Promise<PoolRef> {
  const pools = await listPools({ home });
  const wanted = name.toLowerCase();
  const found = pools.find(({ ref }) => wanted === ref.name || wanted === ref.id);
  if (found) return found.ref;
  const names = pools.map(({ ref }) => ref.name);
  throw new NotFound(`pool ${name}`, undefined, {
    instead: names.length > 0 ? `existing: ${fewNames(names)}${didYouMean(name, names)}` : 'this machine has no pools',
  });
}

export async function readPool({ home }: Home, ref: PoolRef): Promise<Pool | undefined> {
  const record = readPoolRecord(home, ref);
  return record && toPool(home, record);
}

export async function listPools({ home }: Home): Promise<Pool[]> {
  return visibleIn(poolsFolder(home)).flatMap((name) => {
    const record = readPoolRecord(home, poolRef(name));
    return record ? [toPool(home, record)] : [];
  });
}

/** The current spec, including later changes. */
export async function readSpec({ home }: Home, pool: PoolRef): Promise<PoolSpec> {
  return poolRecordOf(home, pool).spec;
}

export async function deletePool(context: QemuContext, ref: PoolRef, options?: CallOptions): Promise<void> {
  const { home, machines } = context;
  await lockPool(context.home, ref, `deleting pool ${ref.name}`, options, async () => {
    if (!readPoolRecord(home, ref)) return;
    for (const { id, vmId } of allRecordsOf(home, ref)) {
      options?.onWaiting?.(`${id} to be terminated`);
      await machines.end({ folder: instanceFolder(home, { pool: ref, id }), vmId });
      await removeNode(context, { pool: ref, id }, options);
    }
    await removeAtomically(poolFolder(home, ref.name));
  });
}

/** Reports all problems at once, each with its path. */
export function checkSpec(given: PoolSpec): PoolRecord['spec'] {
  const { success, data, error } = specSchema.safeParse(given);
  const problems = [
    ...(isPoolName(given.name)
      ? []
      : ['name: lower-case letters, digits and dashes, at most 50; host names start with it']),
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...given.services
      .filter(({ address }) => !isServiceAddress(address))
      .map(({ address }) => `services: ${address} is not in 168.0.0.0/16, or the network itself uses it`),
    ...repeated(given.services.map(({ address, port }) => `${address}:${port}`)).map(
      (one) => `services: ${one} is listed twice`,
    ),
    ...repeated(given.extensions.map(({ name }) => name)).map((one) => `extensions: ${one} is listed twice`),
  ];
  if (success && problems.length === 0) return data;
  throw new UserError(`the pool's settings are invalid:\n${problems.map((one) => `  ${one}`).join('\n')}`, {
    code: 'vms/bad-pool',
  });
}

export async function traitsOf(home: string, image: PoolSpec['image']): Promise<PoolRecord['traits']> {
  const { id } = resolveVersion(home, image);
  const definition = await readDefinition({ home }, id.gallery, id.definition);
  const {
    osState = 'generalized',
    generation = 'V2',
    architecture = 'x64',
    securityType = 'Standard',
  } = definition ?? {};
  return { osState, generation, architecture, securityType };
}

function toPool(home: string, record: PoolRecord): Pool {
  const { spec, traits } = record;
  const ref = poolRef(spec.name);
  const model: Model = {
    image: spec.image,
    os: 'linux',
    ...traits,
    // We have the custom data, but not what it does when it runs.
    bootstrap: spec.customData === undefined ? 'none' : 'unknown',
    extensions: spec.extensions.map(toExtension),
    hasEphemeralDisk: false,
    isSpot: false,
    upgrades: 'manual',
    hasAutomaticOsUpgrade: false,
    osDiskGb: spec.size.diskGb,
  };
  return {
    ref,
    etag: String(record.revision),
    region,
    state: 'ready',
    model,
    hasInstanceRepair: false,
    capacity: instanceRecordsOf(home, ref).length,
    tags: spec.tags,
  };
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
