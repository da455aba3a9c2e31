// image/test/verdict.ts: has a build passed its test, with these bytes and this boot method? Pure.
import type { BuildRecord } from '../build/contract.ts';

/** kernel: QEMU boots the kernel of the qcow2 directly · firmware: UEFI boots the VHD, as in a cloud. */
export type BootMethod = 'kernel' | 'firmware';

export interface Check {
  /** Persisted, do not rename: `packages`, `units.kubelet`. */
  name: string;
  isPassed: boolean;
  /** What was found, in one line. */
  detail: string;
}

export interface PhaseTime {
  name: string;
  tookMs: number;
}

export interface BootTest {
  way: BootMethod;
  /** sha256 by name of the build's files that were booted. */
  files: Readonly<Record<string, string>>;
  isPassed: boolean;
  checks: Check[];
  phases: PhaseTime[];
  /** From kernel start until the daemon lets kubelet start. */
  readyMs?: number;
  budget: {
    path: string;
    limitMs: number;
    actualMs?: number;
    verdict: 'ok' | 'exceeded' | 'unknown';
    detail?: string;
  }[];
}

export interface ImageTest {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageTest';
  /** Content hash of the tested build. */
  contentSha256: string;
  /** At least one boot method was tested, and all of them passed. */
  isPassed: boolean;
  boots: BootTest[];
}

/** Adds a result. Replaces an earlier result of the same method, and drops results of other bytes. */
export function withBoot(before: ImageTest | undefined, build: BuiltBytes, boot: BootTest): ImageTest {
  const { contentSha256 } = build;
  const others = (before && keepBootsOf(before, build)?.boots) ?? [];
  const boots = [...others.filter(({ way }) => way !== boot.way), boot].sort((a, b) => (a.way < b.way ? -1 : 1));
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageTest',
    contentSha256,
    isPassed: boots.every(({ isPassed }) => isPassed),
    boots,
  };
}

type BuiltBytes = Pick<BuildRecord, 'contentSha256' | 'files'>;

/** The test must have booted these bytes with this method: booting the kernel directly does not test the boot loader. */
export function hasPassed(test: ImageTest | undefined, build: BuiltBytes, way: BootMethod): boolean {
  if (test?.contentSha256 !== build.contentSha256) return false;
  // Check every boot again instead of trusting the summary in the file.
  const isGood = (boot: BootTest) =>
    boot.isPassed && boot.checks.every((check) => check.isPassed) && isBootOfBuild(boot, build);
  return test.boots.some((boot) => boot.way === way) && test.boots.every(isGood);
}

/** The same content can be packed into different disks, so compare the checksums. */
export function isBootOfBuild({ files }: Pick<BootTest, 'files'>, build: Pick<BuiltBytes, 'files'>): boolean {
  const names = Object.keys(files);
  return names.length > 0 && names.every((name) => files[name] === build.files[name]?.sha256);
}

/** Keeps the boots that used exactly the files of this build; undefined if there are none. */
export function keepBootsOf(test: ImageTest, build: BuiltBytes): ImageTest | undefined {
  const boots = test.boots.filter((boot) => isBootOfBuild(boot, build));
  if (test.contentSha256 !== build.contentSha256 || boots.length === 0) return undefined;
  return { ...test, isPassed: boots.every(({ isPassed }) => isPassed), boots };
}
