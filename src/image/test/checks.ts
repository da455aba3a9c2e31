// image/test/checks.ts: is what runs the image that was built, and is it as a node is to be before anybody has used it? Pure.
import type { BuildRecord } from '../build/contract.ts';
import { installedIn } from '../build/unpack-base.ts';
import type { Artifact, LockedFile } from '../lock.ts';
import type { GuestFacts, Questions } from './guest-facts.ts';
import type { Check, Way } from './record.ts';

/** What of a lock can be seen in a running image. */
export interface LockPart {
  artifacts: readonly (Pick<Artifact, 'component' | 'kind' | 'version' | 'kubernetes' | 'sha256'> & {
    install?: { to: string };
  })[];
  files: readonly Pick<LockedFile, 'to' | 'sha256'>[];
}

export interface Expected {
  build: BuildRecord;
  lock: LockPart;
  /** The release file beside the build. */
  release: string;
  way: Way;
}

const READY = 'headstart-node-ready.target';
const UNITS = ['headstart-node.service', READY, 'containerd.service', 'kubelet.service'] as const;
/** What would change packages, or take the disk's time, at a moment of its own choosing. */
const QUIET = ['apt-daily.timer', 'apt-daily-upgrade.timer', 'unattended-upgrades.service', 'e2scrub_all.timer'];
/** The table at both ends, the firmware's partition, and what a file system needs for itself. */
const OVERHEAD_BYTES = 512 * 2 ** 20;

export function questionsFor(expected: Pick<Expected, 'lock' | 'build'>): Questions {
  return { files: [...placedIn(expected).keys()], units: UNITS, unitFiles: QUIET };
}

export function checksOf(expected: Expected, facts: GuestFacts): Check[] {
  const { build, release, way } = expected;
  const is = (name: string, isPassed: boolean, detail: string): Check => ({ name, isPassed, detail });
  return [
    is(
      'release',
      facts.release === release,
      facts.release === release ? 'as it was built' : 'differs from the one beside the build',
    ),
    is('kernel', facts.kernelRelease === build.kernelRelease, facts.kernelRelease || 'unknown'),
    is('started-by', facts.isUefi === (way === 'firmware'), facts.isUefi ? 'UEFI firmware' : 'QEMU itself'),
    differences('packages', packageDifferences(expected, facts), `${debsIn(expected).size} as they are locked`),
    differences('files', fileDifferences(expected, facts), `${placedIn(expected).size} as they are locked`),
    ...unitChecks(facts),
    differences('failed-units', facts.failedUnits, 'none'),
    nodeCheck(facts),
    is(
      'machine-id',
      /^[0-9a-f]{32}$/.test(facts.machineId),
      /^[0-9a-f]{32}$/.test(facts.machineId) ? 'its own' : `'${facts.machineId.slice(0, 40)}'`,
    ),
    differences('cloud-init', facts.cloudInit, 'not on the image'),
    differences(
      'quiet',
      QUIET.filter((unit) => !isQuiet(facts.unitFiles.get(unit))),
      'no timer changes anything',
    ),
    is(
      'grown',
      facts.rootBytes >= facts.diskBytes - OVERHEAD_BYTES && facts.diskBytes > 0,
      `root ${mib(facts.rootBytes)} of a disk with ${mib(facts.diskBytes)}`,
    ),
  ];
}

function unitChecks({ units }: GuestFacts): Check[] {
  return UNITS.map((name) => {
    const { ActiveState = 'not there', SubState = '', Result = '', NRestarts = '0' } = units.get(name) ?? {};
    const isPassed = ActiveState === 'active' && Number(NRestarts) === 0;
    const restarts = Number(NRestarts) > 0 ? `, restarted ${NRestarts} times` : '';
    return {
      name: `units.${name.replace(/\.\w+$/, '')}`,
      isPassed,
      detail: isPassed ? `${ActiveState} (${SubState})` : `${ActiveState} (${SubState}, ${Result})${restarts}`,
    };
  });
}

/** What the daemon says of itself. */
function nodeCheck({ nodeStatus }: GuestFacts): Check {
  const { phase, code, isReady, bad } = statusIn(nodeStatus);
  const isPassed = isReady === true && Array.isArray(bad) && bad.length === 0;
  return { name: 'node', isPassed, detail: phase === undefined ? 'says nothing' : `${phase} (${code})` };
}

function statusIn(text: string): { phase?: string; code?: string; isReady?: boolean; bad?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** Name → version, of this image's patch version alone. */
function debsIn({ lock, build }: Pick<Expected, 'lock' | 'build'>): Map<string, string> {
  return new Map(
    ofThis(lock, build)
      .filter(({ kind }) => kind === 'deb')
      .map(({ component, version }) => [component, version]),
  );
}

/** Path → sha256, of what is on the image byte for byte as it is locked. */
function placedIn({ lock, build }: Pick<Expected, 'lock' | 'build'>): Map<string, string> {
  return new Map([
    ...ofThis(lock, build).flatMap(({ kind, install, sha256 }): [string, string][] =>
      kind === 'binary' && install ? [[install.to, sha256]] : [],
    ),
    ...lock.files.map(({ to, sha256 }): [string, string] => [to, sha256]),
  ]);
}

const ofThis = ({ artifacts }: LockPart, { kubernetes }: BuildRecord) =>
  artifacts.filter((one) => one.kubernetes === undefined || one.kubernetes === kubernetes);

function packageDifferences(expected: Expected, { dpkgStatus }: GuestFacts): string[] {
  return mapDifferences(debsIn(expected), installedIn(dpkgStatus));
}

function fileDifferences(expected: Expected, { files }: GuestFacts): string[] {
  return mapDifferences(placedIn(expected), files, 12);
}

function mapDifferences(
  said: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, string>,
  shownChars?: number,
): string[] {
  const shown = (value: string | undefined) => value?.slice(0, shownChars) ?? 'nothing';
  return [...new Set([...said.keys(), ...seen.keys()])]
    .sort()
    .filter((name) => said.get(name) !== seen.get(name))
    .map((name) => `${name}: ${shown(seen.get(name))}, locked is ${shown(said.get(name))}`);
}

/** Not there is as quiet as masked. */
const isQuiet = (state: string | undefined) => ['', 'masked', 'disabled', 'not-found'].includes(state ?? '');

const SHOWN = 5;

function differences(name: string, found: readonly string[], fine: string): Check {
  if (found.length === 0) return { name, isPassed: true, detail: fine };
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return { name, isPassed: false, detail: `${found.slice(0, SHOWN).join('; ')}${more}` };
}

const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
