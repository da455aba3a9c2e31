// cluster/local/programs/choose-programs.ts: which version of the programs does a cluster run, from which folder, and which have to be built?
import { UserError } from '../../../base/errors.ts';
import { type ClusterPlace, readClusterRecord } from '../cluster-files.ts';
import { KUBE_SERVERS } from '../server-flags.ts';
import { checkUpgrade } from '../upgrade.ts';
import type { KubeProgram } from './build-program.ts';
import { readGivenPrograms } from './given-programs.ts';
import {
  BUILT_VERSION,
  checkVersion,
  missingPrograms,
  PLANE_PROGRAMS,
  type ProgramDeps,
  programsFolder,
} from './programs.ts';

export interface WantedPrograms {
  /** A version. */
  kubernetes?: string;
  /** A folder. */
  programs?: string;
}

export interface ChosenPrograms {
  version: string;
  folder: string;
  /** Programs to build first. */
  missing: KubeProgram[];
}

/** An existing cluster keeps its version unless another is requested, and its folder as long as the programs are in it. */
export async function choosePrograms(
  place: ClusterPlace,
  { kubernetes, programs }: WantedPrograms,
  { cache, run }: Pick<ProgramDeps, 'cache' | 'run'>,
): Promise<ChosenPrograms> {
  const requested = kubernetes === undefined ? undefined : checkVersion(kubernetes);
  const known = readClusterRecord(place);
  const given = programs === undefined ? undefined : await readGivenPrograms(programs, run);
  const version = given?.version ?? requested ?? known?.kubernetes ?? BUILT_VERSION;
  if (requested !== undefined && requested !== version) {
    throw new UserError(`the programs in ${given?.folder} have Kubernetes version ${version}, not ${requested}`, {
      code: 'cluster/other-version',
      kept: 'Nothing was started.',
      next: 'leave out --kubernetes, or give another folder',
    });
  }
  // Checked again under the lock; checked here before a long build.
  if (known) checkUpgrade(place.name, known.kubernetes, version);
  if (given) return { version, folder: given.folder, missing: [] };
  if (known?.kubernetes === version && missingPrograms(known.programs, KUBE_SERVERS).length === 0)
    return { version, folder: known.programs, missing: [] };
  const folder = programsFolder(cache, version);
  return { version, folder, missing: missingPrograms(folder, PLANE_PROGRAMS) };
}
