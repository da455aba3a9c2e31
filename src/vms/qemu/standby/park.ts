// vms/qemu/standby/park.ts: park an instance that is up: pause, freeze or stop it, and remove its node. The record comes last: an instance
// that a killed command has not finished parking is discarded.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { syncFiles } from '../../../host/file-sum.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { runInGuest } from '../guest/guest.ts';
import { poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { resolveVersion } from '../home/version-records.ts';
import { machineShape } from '../machine/command-line.ts';
import { forgetNode, requireJoinCluster } from '../pools/admission.ts';
import { machineOf } from '../pools/instances.ts';
import { shutDown } from '../pools/power.ts';
import { vmArguments } from '../pools/vm-arguments.ts';
import { CERTIFICATE_MARGIN_MS } from './judge-member.ts';
import { FROZEN_FILES, type ParkedRecord, sumFiles, writeParked } from './parked-record.ts';
import { type Preparation, preparingRecordOf } from './preparation.ts';
import { rehearseWake } from './wake-guest.ts';

const GUEST_MS = 60_000;
/** kubelet's client certificate and key are in one file; only the certificate leaves the guest. */
const PRINT_CERTIFICATE: [string, ...string[]] = [
  ...(['sed', '-n', '/-----BEGIN CERTIFICATE-----/,/-----END CERTIFICATE-----/p'] as const),
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
];

export async function parkInstance(context: QemuContext, preparing: Preparation, options: CallOptions): Promise<void> {
  const { home, machines, clock } = context;
  const { ref, document } = preparing;
  const record = preparingRecordOf(home, preparing);
  const { tier } = record.standby;
  const folder = instanceFolder(home, ref);
  const machine = machineOf(home, ref, record);
  options.onWaiting?.(`${ref.id} to be ${tier}`);
  const joined = await readJoined(context, ref, options);
  if (tier !== 'stopped') await rehearseWake(context, folder, options);
  await runInGuest(context, folder, ['sync'], { deadlineMs: GUEST_MS, signal: options.signal });
  const qemu = await machines.build(machine);
  // Without the lock: a shutdown may take minutes.
  if (tier === 'stopped') await shutDown(context, machine, ref.id, options);
  await lockPool(home, ref.pool, `parking ${ref.id}`, options, async () => {
    const pool = poolRecordOf(home, ref.pool);
    const now = preparingRecordOf(home, preparing);
    if (tier === 'paused') await machines.pause(machine);
    if (tier === 'frozen') await machines.freeze(machine, options.signal);
    if (tier === 'frozen') await syncFiles(FROZEN_FILES.map((name) => join(folder, name)));
    await forgetNode(context, ref, options);
    const use = { apiServer: joined.server, memory: 'resumed' as const };
    const parked: ParkedRecord = {
      tier,
      parkedMs: clock.nowMs(),
      bootedMs: now.startedMs ?? now.createdMs,
      qemu,
      shape: machineShape(await vmArguments(context, pool, now, use, options)),
      image: now.image.id,
      modelRevision: now.modelRevision,
      kernel: resolveVersion(home, now.image).record.files.vmlinux?.sha256 ?? 'in the disk',
      document,
      ...joined.facts,
      files: tier === 'frozen' ? await sumFiles(folder, options.signal) : {},
    };
    writeParked(folder, parked);
    writeInstanceRecord(home, pool, { ...now, standby: { tier, state: 'parked' } });
  });
}

/** What only the running guest and its cluster know. */
async function readJoined(context: QemuContext, ref: InstanceRef, options: CallOptions) {
  const { home } = context;
  const pool = poolRecordOf(home, ref.pool);
  const { cluster } = pool.spec;
  if (cluster === undefined) return { server: undefined, facts: {} };
  const joiner = requireJoinCluster(context, ref, cluster);
  const node = await joiner.readSeed(cluster, ref, options);
  const certificate = await readCertificate(context, instanceFolder(home, ref), options);
  if (certificate.certificateEndMs < context.clock.nowMs() + CERTIFICATE_MARGIN_MS)
    throw shortLived(ref, certificate.certificateEndMs);
  const server = joiner.server(cluster);
  return { server, facts: { node, ...certificate, apiServer: server.to } };
}

async function readCertificate(context: QemuContext, folder: string, { signal }: CallOptions) {
  const { stdout, stderr } = await runInGuest(context, folder, PRINT_CERTIFICATE, { deadlineMs: GUEST_MS, signal });
  try {
    const { validFromDate, validToDate } = new X509Certificate(stdout);
    // The cluster accepts it now, so it is valid now, even if its clock is ahead of ours.
    const certificateStartMs = Math.min(validFromDate.getTime(), context.clock.nowMs());
    return { certificateStartMs, certificateEndMs: validToDate.getTime() };
  } catch (cause) {
    const why = stderr.toString().trim() || 'it is not a certificate';
    throw new UserError(`could not read kubelet's certificate in the guest: ${why}`, {
      code: 'vms/no-certificate',
      exitCode: 1,
      cause,
    });
  }
}

/** It would be discarded as soon as it is parked, and the next one too. */
function shortLived({ id }: InstanceRef, certificateEndMs: number): UserError {
  const end = new Date(certificateEndMs).toISOString();
  return new UserError(`the certificate of ${id} ends at ${end}, too soon for a parked node`, {
    code: 'vms/short-certificate',
    next: 'let the cluster issue certificates that are valid for an hour or more',
    exitCode: 1,
  });
}
