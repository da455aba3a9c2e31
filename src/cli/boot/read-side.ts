// cli/boot/read-side.ts: which boots are in the files and folders that the user names as one side of a comparison?
import type { BootRecord } from '../../boot/model/record.ts';
import { withoutPreparations } from '../../boot/model/since-claim.ts';
import type { CliDeps } from '../verb.ts';
import { printNote, readBoots } from './read-boot.ts';

/** Reads each path separately: two bundles are two boots even if neither has a boot id. */
export async function readSide(paths: readonly string[], deps: CliDeps): Promise<BootRecord[]> {
  const boots: BootRecord[] = [];
  for (const path of paths)
    for (const boot of withoutPreparations(await readBoots({ input: [path] }, deps))) boots.push(boot);
  // A log may cover many boots and the units only one of them. Medians of incomplete boots would mislead.
  const whole = boots.filter((boot) => boot.units.length > 0 || boot.claim !== undefined);
  if (whole.length === 0 || whole.length === boots.length) return boots;
  printNote(
    'note',
    `${paths.join(', ')}: ${boots.length - whole.length} of ${boots.length} boots have no unit times and are left out`,
    deps,
  );
  return whole;
}
