// cli/boot/two-boots.ts: which two boots does `boot compare` with one input, or with none, compare?
import { UserError } from '../../base/errors.ts';
import { RECORDS_FOLDER, readRecords } from '../../boot/keep/record-store.ts';
import { pickBoot } from '../../boot/load/pick-boot.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import type { CliDeps } from '../verb.ts';
import type { HostOptions } from './host-options.ts';
import { printNote, readBoots } from './read-boot.ts';

export interface BootSides {
  before: BootRecord[];
  after: BootRecord[];
}

/** The last boot in the input, or of the machine, and the earlier boot that `which` names. */
export async function lastTwoBoots(
  { input, ...machine }: HostOptions & { input?: string | undefined },
  which: string,
  deps: CliDeps,
  recordsFolder = RECORDS_FOLDER,
): Promise<BootSides> {
  const sides =
    input === undefined ? await ofMachine(machine, which, deps, recordsFolder) : await ofInput(input, which, deps);
  const [before, after] = [sides.before[0]!, sides.after[0]!];
  if (
    before === after ||
    (before.bootId !== undefined && before.bootId === after.bootId && before.clock.zero === after.clock.zero)
  )
    throw new UserError(`--boot ${which} is the last boot, which would be compared with itself`, {
      code: 'boot/bad-compare',
      next: 'name an earlier one, for example --boot -1',
    });
  printNote('note', `comparing the last boot with boot ${which}${before.bootId ? ` (${before.bootId})` : ''}`, deps);
  return sides;
}

async function ofInput(input: string, which: string, deps: CliDeps): Promise<BootSides> {
  const boots = await readBoots({ input: [input] }, deps);
  if (boots.length === 1)
    throw new UserError(`compare needs two sides, and ${input} has one boot only`, {
      code: 'boot/bad-compare',
      next: 'write `headstart boot compare BEFORE AFTER`, or name each boot with --before and --after',
    });
  return { before: [pickBoot(boots, which)], after: [boots.at(-1)!] };
}

/** The journal has no ordering of units; a record of the same boot does. Records of another machine are not here. */
async function ofMachine(
  machine: HostOptions,
  which: string,
  deps: CliDeps,
  recordsFolder: string,
): Promise<BootSides> {
  const [after] = (await readBoots(machine, deps)).slice(-1);
  const [journal] = (await readBoots({ ...machine, boot: which }, deps)).slice(-1);
  const stored =
    machine.host === undefined
      ? readRecords(recordsFolder).records.find(
          ({ record }) => record.bootId !== undefined && record.bootId === journal!.bootId,
        )
      : undefined;
  return { before: [stored?.record ?? journal!], after: [after!] };
}
