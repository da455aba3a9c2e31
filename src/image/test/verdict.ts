// image/test/verdict.ts: has a build passed its test? Of these very bytes, and booted in the way that is asked for. Pure.
import type { BuildRecord } from '../build/contract.ts';

/** kernel: QEMU starts the qcow2's kernel · firmware: UEFI starts the VHD, as a cloud does. */
export type BootMethod = 'kernel' | 'firmware';

export interface Check {
  /** Stable: `packages`, `units.kubelet`. */
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
  /** The build's files that were booted, by name: their sha256. */
  files: Readonly<Record<string, string>>;
  isPassed: boolean;
  checks: Check[];
  phases: PhaseTime[];
  /** Since the kernel started, until the daemon said that kubelet may. */
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
  /** What was tested: that of the build. */
  contentSha256: string;
  /** Every way that was tried, and at least one was. */
  isPassed: boolean;
  boots: BootTest[];
}

/** One more way of the same build; an earlier result of the same way, or of other bytes, is gone. */
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

/** Of these very bytes, and booted as they will be: a disk whose boot loader never ran is not known to boot by it. */
export function hasPassed(test: ImageTest | undefined, build: BuiltBytes, way: BootMethod): boolean {
  if (test?.contentSha256 !== build.contentSha256) return false;
  // Looked at again, boot by boot: the summary is a word in a file.
  const isGood = (boot: BootTest) =>
    boot.isPassed && boot.checks.every((check) => check.isPassed) && isBootOfBuild(boot, build);
  return test.boots.some((boot) => boot.way === way) && test.boots.every(isGood);
}

/** Content says what a disk was made of; this, whether it is the disk that was booted. */
export function isBootOfBuild({ files }: Pick<BootTest, 'files'>, build: Pick<BuiltBytes, 'files'>): boolean {
  const names = Object.keys(files);
  return names.length > 0 && names.every((name) => files[name] === build.files[name]?.sha256);
}

/** What of a test still holds for a build of the same content: boots of the very files that it has. */
export function keepBootsOf(test: ImageTest, build: BuiltBytes): ImageTest | undefined {
  const boots = test.boots.filter((boot) => isBootOfBuild(boot, build));
  if (test.contentSha256 !== build.contentSha256 || boots.length === 0) return undefined;
  return { ...test, isPassed: boots.every(({ isPassed }) => isPassed), boots };
}
