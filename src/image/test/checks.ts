// image/test/checks.ts: does the VM run the image that was built, and is it in the state of a fresh node? Pure.

import { installedIn } from '../build/base/unpack-base.ts';
import type { BuildRecord } from '../build/contract.ts';
import type { PlacedFile } from '../build/files/placed-files.ts';
import type { Artifact, LockedFile } from '../lock/lock.ts';
import type { ContainerImage } from '../report/image-list.ts';
import type { GuestFacts, GuestQuestions } from './guest-facts.ts';
import type { BootMethod, Check } from './verdict.ts';

/** The part of a lock that can be checked in a running image. */
export interface LockPart {
  artifacts: readonly (Pick<Artifact, 'component' | 'kind' | 'version' | 'kubernetes' | 'sha256'> & {
    install?: { to: string };
  })[];
  files: readonly Pick<LockedFile, 'to' | 'sha256'>[];
}

export interface ExpectedImage {
  build: BuildRecord;
  lock: LockPart;
  /** The release file in the build folder. */
  release: string;
  /** The files of components that the build installed. */
  placed: readonly PlacedFile[];
  images: readonly Pick<ContainerImage, 'name' | 'digest'>[];
  way: BootMethod;
}

const READY = 'headstart-node-ready.target';
const UNITS = ['headstart-node.service', READY, 'containerd.service', 'kubelet.service'] as const;
/** Units that would change packages or use the disk at arbitrary times. */
const MAINTENANCE_UNITS = [
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'unattended-upgrades.service',
  'e2scrub_all.timer',
];
/** Under emulation kubelet takes a minute to open its port. */
const HEALTH_TRIES = 120;
/** For both partition tables, the EFI partition and the file system's own data. */
const OVERHEAD_BYTES = 512 * 2 ** 20;

export function questionsFor(expected: Pick<ExpectedImage, 'lock' | 'build' | 'placed'>): GuestQuestions {
  const { placed } = expected;
  const paths = placed.filter(({ to }) => to === undefined).map(({ path }) => path);
  return {
    files: [...new Set([...lockedIn(expected).keys(), ...paths])],
    links: placed.filter(({ to }) => to !== undefined).map(({ path }) => path),
    units: UNITS,
    unitFiles: MAINTENANCE_UNITS,
    healthTries: HEALTH_TRIES,
  };
}

export function checksOf(expected: ExpectedImage, facts: GuestFacts): Check[] {
  const { build, release, way } = expected;
  const is = (name: string, isPassed: boolean, detail: string): Check => ({ name, isPassed, detail });
  return [
    is(
      'release',
      facts.release === release,
      facts.release === release ? 'as built' : 'differs from the one in the build folder',
    ),
    is('kernel', facts.kernelRelease === build.kernelRelease, facts.kernelRelease || 'unknown'),
    is('started-by', facts.isUefi === (way === 'firmware'), facts.isUefi ? 'UEFI firmware' : 'QEMU directly'),
    differences('packages', packageDifferences(expected, facts), `${debsIn(expected).size} as locked`),
    differences('files', fileDifferences(expected, facts), `${lockedIn(expected).size} as locked`),
    differences('placed', placedDifferences(expected, facts), `${expected.placed.length} as installed`),
    differences('container-images', imageDifferences(expected, facts), `${expected.images.length} unpacked`),
    ...unitChecks(facts),
    differences('failed-units', facts.failedUnits, 'none'),
    nodeCheck(facts),
    is('kubelet-health', / 200 OK$/.test(facts.kubeletHealth), facts.kubeletHealth || 'no response'),
    is('name-servers', !STUB.test(facts.resolvConf) && facts.resolvConf !== '', nameServersIn(facts)),
    machineIdCheck(facts),
    differences('cloud-init', facts.cloudInit, 'not on the image'),
    differences(
      'quiet',
      MAINTENANCE_UNITS.filter((unit) => !isInactive(facts.unitFiles.get(unit))),
      'no timer changes anything',
    ),
    is(
      'grown',
      facts.rootBytes >= facts.diskBytes - OVERHEAD_BYTES && facts.diskBytes > 0,
      `root ${mib(facts.rootBytes)} of a disk with ${mib(facts.diskBytes)}`,
    ),
  ];
}

/** The stub resolver of systemd-resolved listens on the node's loopback, which pods cannot reach. */
const STUB = /^nameserver\s+127\./m;

function nameServersIn({ resolvConf }: GuestFacts): string {
  if (resolvConf === '') return 'no /etc/resolv.conf';
  const servers = [...resolvConf.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server]) => server);
  return servers.length === 0 ? 'none' : servers.join(', ');
}

/** An id from the image would be the same on all nodes. */
function machineIdCheck({ machineId, isMachineIdNew }: GuestFacts): Check {
  const isId = /^[0-9a-f]{32}$/.test(machineId);
  const detail = isId ? (isMachineIdNew ? 'its own' : 'copied from the image') : `'${machineId.slice(0, 40)}'`;
  return { name: 'machine-id', isPassed: isId && isMachineIdNew, detail };
}

function unitChecks({ units }: GuestFacts): Check[] {
  return UNITS.map((name) => {
    const { ActiveState = 'missing', SubState = '', Result = '', NRestarts = '0' } = units.get(name) ?? {};
    const isPassed = ActiveState === 'active' && Number(NRestarts) === 0;
    const restarts = Number(NRestarts) > 0 ? `, restarted ${NRestarts} times` : '';
    return {
      name: `units.${name.replace(/\.\w+$/, '')}`,
      isPassed,
      detail: isPassed ? `${ActiveState} (${SubState})` : `${ActiveState} (${SubState}, ${Result})${restarts}`,
    };
  });
}

function nodeCheck({ nodeStatus }: GuestFacts): Check {
  const { phase, code, isReady, bad } = statusIn(nodeStatus);
  const isPassed = isReady === true && Array.isArray(bad) && bad.length === 0;
  return { name: 'node', isPassed, detail: phase === undefined ? 'no status' : `${phase} (${code})` };
}

function statusIn(text: string): { phase?: string; code?: string; isReady?: boolean; bad?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** Version by package, for the image's Kubernetes version. */
function debsIn({ lock, build }: Pick<ExpectedImage, 'lock' | 'build'>): Map<string, string> {
  return new Map(
    artifactsOfBuild(lock, build)
      .filter(({ kind }) => kind === 'deb')
      .map(({ component, version }) => [component, version]),
  );
}

/** sha256 by path, of files that the build installs unchanged. */
function lockedIn({ lock, build }: Pick<ExpectedImage, 'lock' | 'build'>): Map<string, string> {
  return new Map([
    ...artifactsOfBuild(lock, build).flatMap(({ kind, install, sha256 }): [string, string][] =>
      kind === 'binary' && install ? [[install.to, sha256]] : [],
    ),
    ...lock.files.map(({ to, sha256 }): [string, string] => [to, sha256]),
  ]);
}

const artifactsOfBuild = ({ artifacts }: LockPart, { kubernetes }: BuildRecord) =>
  artifacts.filter((one) => one.kubernetes === undefined || one.kubernetes === kubernetes);

function packageDifferences(expected: ExpectedImage, { dpkgStatus }: GuestFacts): string[] {
  return mapDifferences(debsIn(expected), installedIn(dpkgStatus));
}

function fileDifferences(expected: ExpectedImage, { files }: GuestFacts): string[] {
  const locked = lockedIn(expected);
  const seen = new Map([...files].filter(([path]) => locked.has(path)));
  return mapDifferences(locked, seen, 12);
}

function placedDifferences({ placed }: ExpectedImage, { files, modes, links }: GuestFacts): string[] {
  return placed.flatMap(({ path, mode, sha256, to }) => {
    if (to !== undefined) return links.get(path) === to ? [] : [`${path}: links to ${links.get(path) ?? 'nothing'}`];
    const owned = `${mode?.toString(8)} 0:0`;
    return [
      ...(files.get(path) === sha256 ? [] : [`${path}: ${files.get(path)?.slice(0, 12) ?? 'missing'}`]),
      ...(modes.get(path) === owned ? [] : [`${path}: expected ${owned}, got ${modes.get(path) ?? 'no file'}`]),
    ];
  });
}

/** Checks both the name and the digest of each image. */
function imageDifferences({ images }: ExpectedImage, { readyImages, badBlobs }: GuestFacts): string[] {
  const missing = images
    .flatMap(({ name, digest }) => [name, `${name.slice(0, name.lastIndexOf(':'))}@${digest}`])
    .filter((name) => !readyImages.includes(name));
  // Without images there is no content store to check.
  const bad = images.length === 0 ? [] : badBlobs;
  return [...missing.map((name) => `${name}: missing or not unpacked`), ...bad.map((blob) => `${blob}: changed`)];
}

function mapDifferences(
  locked: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, string>,
  shownChars?: number,
): string[] {
  const shown = (value: string | undefined) => value?.slice(0, shownChars) ?? 'none';
  return [...new Set([...locked.keys(), ...seen.keys()])]
    .sort()
    .filter((name) => locked.get(name) !== seen.get(name))
    .map((name) => `${name}: expected ${shown(locked.get(name))}, got ${shown(seen.get(name))}`);
}

/** A missing unit is as harmless as a masked one. */
const isInactive = (state: string | undefined) => ['', 'masked', 'disabled', 'not-found'].includes(state ?? '');

const SHOWN = 5;

function differences(name: string, found: readonly string[], fine: string): Check {
  if (found.length === 0) return { name, isPassed: true, detail: fine };
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return { name, isPassed: false, detail: `${found.slice(0, SHOWN).join('; ')}${more}` };
}

const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
