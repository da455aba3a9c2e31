// e2e/labs/node-guest.ts: one real VM of the node image for a test: new documents, its status, a shell, a power cut.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { writeFileAtomic } from '../../src/base/files.ts';
import { guestCommands } from '../../src/cli/compose/guest-commands.ts';
import type { NodeStatus } from '../../src/node/status/node-status.ts';
import type { InstanceRef, PoolRef } from '../../src/vms/pools.ts';
import { instanceFiles } from '../../src/vms/qemu/home/layout.ts';
import type { QemuProvider } from '../../src/vms/qemu/local-provider.ts';
import type { InstanceMetadata } from '../../src/vms/qemu/metadata-service/instance-file.ts';
import { createQemuProvider } from '../../src/vms/qemu/qemu-provider.ts';
import { ensureNodeImage } from './node-lab.ts';

const BOOT_MS = 15 * 60_000;
const ASK_MS = 3 * 60_000;
const PAUSE_MS = 1000;

export interface NodeGuest {
  name: string;
  /** The guest's reports to the wire server. */
  health(): string;
  /** Sets new user data, as an operator does; the guest has to notice it. */
  deliver(document: string): Promise<void>;
  /** Changes what the metadata service says about the instance, until the instance is changed or started again. */
  setMetadata(change: Partial<InstanceMetadata>): void;
  /** The output of a shell in the guest; throws if it fails. */
  sh(script: string): Promise<string>;
  status(): Promise<NodeStatus>;
  awaitStatus(what: string, isIt: (status: NodeStatus) => boolean): Promise<NodeStatus>;
  /** kill -9 of QEMU: the guest loses what it had not written to disk. */
  cutPower(): Promise<void>;
  /** Starts the VM again and waits for kubelet. */
  startAgain(): Promise<void>;
  end(): Promise<void>;
}

export interface BootOptions {
  /** Up when this unit runs. Default: kubelet's. */
  readyUnit?: string;
  tags?: Readonly<Record<string, string>>;
}

/** Booted with `document` as its user data. */
export async function bootNode(poolName: string, document: string, options: BootOptions = {}): Promise<NodeGuest> {
  const { imageId, ...deps } = await ensureNodeImage();
  const provider = createQemuProvider({ ...deps, ...guestCommands(process.env) });
  const pool: PoolRef = { id: `pools/${poolName}`, name: poolName };
  await provider.pools.deletePool(pool); // left by a killed run
  await provider.pools.createPool({
    name: pool.name,
    image: { kind: 'version', id: imageId },
    userData: base64(document),
    extensions: [],
    size: { cpus: 2, memoryMb: 1024, diskGb: 4 },
    services: [],
    readyUnit: options.readyUnit ?? 'kubelet.service',
    tags: options.tags ?? {},
  });
  const [made] = await provider.pools.setCapacity(pool, 1);
  const guest = talkTo(provider, pool, made!.ref, (await provider.guests.readDetails(made!.ref)).folder);
  await provider.guests.awaitUp(made!.ref, { deadlineMs: BOOT_MS });
  return guest;
}

function talkTo(provider: QemuProvider, pool: PoolRef, ref: InstanceRef, folder: string): NodeGuest {
  const sh = async (script: string) => {
    const { exitCode, stdout, stderr } = await provider.guests.runInGuest(ref, ['/bin/sh', '-ec', script], {
      deadlineMs: ASK_MS,
    });
    if (exitCode !== 0) throw new Error(`in the guest, ${exitCode}: ${script}\n${stdout}${stderr}`);
    return stdout.toString();
  };
  const status = async () => JSON.parse(await sh('cat /run/headstart/status.json')) as NodeStatus;
  return {
    name: ref.id,
    sh,
    status,
    setMetadata(change) {
      const path = join(folder, instanceFiles.metadata);
      const before = JSON.parse(readFileSync(path, 'utf8')) as InstanceMetadata;
      writeFileAtomic(path, JSON.stringify({ ...before, ...change }), 0o600);
    },
    health: () => readFileSync(join(folder, instanceFiles.health), 'utf8'),
    deliver: (document) => provider.pools.setUserData(ref, base64(document)),
    async awaitStatus(what, isIt) {
      const untilMs = systemClock.nowMs() + BOOT_MS;
      for (;;) {
        const seen = await status();
        if (isIt(seen)) return seen;
        if (systemClock.nowMs() > untilMs)
          throw new Error(`${what}: not in time; the node says ${JSON.stringify(seen)}`);
        await systemClock.sleep(PAUSE_MS);
      }
    },
    async cutPower() {
      const pid = Number(readFileSync(join(folder, instanceFiles.pid), 'utf8'));
      process.kill(pid, 'SIGKILL');
      // QEMU releases its files and locks shortly after it no longer counts as running.
      while (hasFiles(pid)) await systemClock.sleep(20);
    },
    async startAgain() {
      await provider.pools.start(ref);
      await provider.guests.awaitUp(ref, { deadlineMs: BOOT_MS });
    },
    end: () => provider.pools.deletePool(pool),
  };
}

function hasFiles(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).length > 0;
  } catch {
    return false;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
