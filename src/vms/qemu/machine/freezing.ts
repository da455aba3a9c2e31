// vms/qemu/machine/freezing.ts: pause a guest, freeze it to files, and load it again in a new process.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { UserError } from '../../../base/errors.ts';
import { writeFileAtomic } from '../../../base/files.ts';
import { instanceFiles } from '../home/layout.ts';
import { NotAnswering } from './line-socket.ts';
import type { MachineRef, Machines } from './machine.ts';
import { qmp } from './qmp.ts';

/** QEMU waits for ever on an empty file, so loading needs a deadline. */
const LOAD_DEADLINE_MS = 20_000;
const SAVE_DEADLINE_MS = 60_000;
const QUIT_DEADLINE_MS = 20_000;
const LOOK_EVERY_MS = 10;
/** The state is half a megabyte; the default limit would write it in several rounds. */
const BYTES_PER_SECOND = 1 << 30;
// Constant commands in the instance's folder. QEMU 7.2 has no other way to a file: `file:` came with 8.2, `fd:` needs descriptor passing.
// QEMU ignores how the command ends, so the second file says that all of the state was written: the disk may be full.
const SAVE = `exec:cat >${instanceFiles.devices} && : >${instanceFiles.devicesSaved}`;
const LOAD = `exec:cat ${instanceFiles.devices}`;

const migrationSchema = z.looseObject({ status: z.string().optional(), 'error-desc': z.string().optional() });
const statusSchema = z.looseObject({ status: z.string() });
const versionSchema = z.object({
  qemu: z.object({ major: z.int(), minor: z.int(), micro: z.int() }),
  package: z.string(),
});

type FreezeOrders = Pick<Machines, 'pause' | 'resume' | 'freeze' | 'load' | 'build'>;
type AwaitGone = (machine: MachineRef, withinMs: number) => Promise<boolean>;

export function freezing(clock: Clock, gone: AwaitGone, order: typeof qmp = qmp): FreezeOrders {
  /** Polls until `look` gives something. */
  const until = async <T>(deadlineMs: number, signal: AbortSignal | undefined, look: () => Promise<T | undefined>) => {
    for (let waitedMs = 0; waitedMs < deadlineMs; waitedMs += LOOK_EVERY_MS) {
      const found = await look();
      if (found !== undefined) return found;
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
    return undefined;
  };
  /** Memory that is a file is not part of the state. */
  const withoutMemory = (folder: string) =>
    order(folder, 'migrate-set-capabilities', { capabilities: [{ capability: 'x-ignore-shared', state: true }] });

  return {
    pause: async ({ folder }) => void (await order(folder, 'stop')),
    resume: async ({ folder }) => void (await order(folder, 'cont')),

    async freeze(machine, signal) {
      const { folder } = machine;
      const saved = join(folder, instanceFiles.devicesSaved);
      rmSync(saved, { force: true });
      // Made here, because QEMU would make it readable for everyone. Replaces a link.
      writeFileAtomic(join(folder, instanceFiles.devices), '', 0o600);
      await order(folder, 'stop');
      await withoutMemory(folder);
      await order(folder, 'migrate-set-parameters', { 'max-bandwidth': BYTES_PER_SECOND });
      await order(folder, 'migrate', { uri: SAVE });
      const end = await until(SAVE_DEADLINE_MS, signal, async () => {
        const { status, 'error-desc': why } = migrationSchema.parse(await order(folder, 'query-migrate'));
        if (status === 'failed' || status === 'cancelled') throw notFrozen(why ?? status);
        return status === 'completed' ? status : undefined;
      });
      if (end === undefined) throw notFrozen('QEMU did not finish writing');
      await order(folder, 'quit').catch(ignoreSilence);
      if (!(await gone(machine, QUIT_DEADLINE_MS))) throw notFrozen('QEMU did not exit');
      // `cat` ends after QEMU: until then the last bytes may be on their way.
      if (!(await until(QUIT_DEADLINE_MS, signal, async () => existsSync(saved) || undefined)))
        throw notFrozen('its state was not written to the end');
      rmSync(saved);
    },

    async load({ folder }, signal) {
      await withoutMemory(folder);
      await order(folder, 'migrate-incoming', { uri: LOAD });
      const loaded = await until(LOAD_DEADLINE_MS, signal, async () => {
        const { status } = statusSchema.parse(await order(folder, 'query-status'));
        return status === 'inmigrate' ? undefined : status;
      });
      if (loaded !== 'paused') throw notLoaded(loaded);
    },

    async build({ folder }) {
      const { qemu, package: build } = versionSchema.parse(await order(folder, 'query-version'));
      return `${qemu.major}.${qemu.minor}.${qemu.micro}${build && ` (${build.trim()})`}`;
    },
  };
}

function notFrozen(why: string): UserError {
  return new UserError(`QEMU could not write the state of the guest: ${why}`, { code: 'vms/not-frozen', exitCode: 1 });
}

function notLoaded(status: string | undefined): UserError {
  const why = status === undefined ? `it is still loading after ${LOAD_DEADLINE_MS / 1000} s` : `it is ${status}`;
  return new UserError(`QEMU could not load the frozen guest: ${why}`, { code: 'vms/not-loaded', exitCode: 1 });
}

function ignoreSilence(error: unknown): void {
  if (!(error instanceof NotAnswering)) throw error;
}
