// image/lock/resolve-debs.ts: which packages, in which versions, does an image need, including all dependencies?
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Waiting } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import { parseInstallPlan } from '../../host/debian/packages.ts';
import type { Mirrors } from '../fetch/mirrors.ts';
import { compareDebian } from '../manifest/debian-version.ts';
import type { Architecture, Origin } from '../manifest/manifest.ts';
import { type Apt, type AptDeps, type AptSource, isolatedApt } from './isolated-apt.ts';
import type { LockedBase } from './lock.ts';
import { buildIndex, type IndexEntry, type PackageIndex, parseSuiteRelease } from './package-index.ts';

/** The version is `1.6.*`, an exact version, or `*`. */
export interface DebRequest {
  name: string;
  version: string;
}

export interface ResolvedDebs {
  debs: readonly (IndexEntry & { isAsked: boolean })[];
  indices: LockedBase['indices'];
}

export interface OpenPackages {
  index: PackageIndex;
  resolve(requests: readonly DebRequest[]): Promise<ResolvedDebs>;
}

export interface ResolveDeps extends AptDeps {
  mirrors: Mirrors;
  onWaiting?: Waiting | undefined;
}

export async function openPackages(
  base: { origin: Origin; architecture: Architecture },
  deps: ResolveDeps,
): Promise<OpenPackages> {
  const { folder, onWaiting } = deps;
  const suites = suitesOf(base.origin, deps.mirrors);
  const apt = isolatedApt(suites, base.architecture, deps);
  onWaiting?.('the package lists');
  await apt(['apt-get', 'update', '-o', 'APT::Update::Error-Mode=any'], 'its package lists cannot be fetched');
  const index = await readIndex(apt);
  const indices = readReleases(join(folder, 'state', 'lists'), suites);
  return {
    index,
    async resolve(requests) {
      onWaiting?.('apt to choose the packages');
      return { debs: await closureOf(requests, index, apt), indices };
    },
  };
}

async function closureOf(
  requests: readonly DebRequest[],
  index: PackageIndex,
  apt: Apt,
): Promise<ResolvedDebs['debs']> {
  const named = requests.map((request) => choose(request, index));
  const names = new Set(requests.map(({ name }) => name));
  const basic = [...index.values()].map(newest).filter(({ isBasic, name }) => isBasic && !names.has(name));
  const plan = await apt(
    ['apt-get', '--simulate', 'install', ...named, ...basic.map(({ name }) => name)],
    'the packages of the manifest cannot be installed together',
  );
  return [...parseInstallPlan(plan.stdout.toString())]
    .map(([name, version]) => {
      const entry = index.get(name)?.find((each) => each.version === version);
      if (!entry) throw new Error(`apt chose ${name} ${version}, which no index has`);
      return { ...entry, isAsked: names.has(name) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The update and security suites are included if a mirror serves them. */
function suitesOf(origin: Origin, mirrors: Mirrors): AptSource[] {
  const main = origin.replace(/^debian:/, '');
  mirrors.locate({ component: 'the base', origin, path: 'dists' }); // throws an error that says how to configure a mirror
  return [main, `${main}-updates`, `${main}-security`].flatMap((suite) => {
    const at = mirrors.baseOf(`debian:${suite}`)?.reveal();
    return at === undefined
      ? []
      : [{ suite, uri: isAbsolute(at) ? pathToFileURL(at).href.replace('file://', 'file:') : at }];
  });
}

async function readIndex(apt: Apt): Promise<PackageIndex> {
  const targets = await apt(
    ['apt-get', 'indextargets', '--format', '$(RELEASE)|$(FILENAME)', 'Created-By: Packages'],
    'apt cannot list its index files',
  );
  const texts: { suite: string; text: string }[] = [];
  for (const line of targets.stdout.toString().split('\n')) {
    const [suite, file] = line.split('|');
    if (!suite || !file) continue;
    const ran = await apt(['/usr/lib/apt/apt-helper', 'cat-file', file], `the package list of ${suite} cannot be read`);
    texts.push({ suite, text: ran.stdout.toString() });
  }
  return buildIndex(texts);
}

function readReleases(lists: string, suites: readonly { suite: string }[]): LockedBase['indices'] {
  const names = readdirSync(lists);
  return suites.map(({ suite }) => {
    const name =
      names.find((each) => each.endsWith(`_dists_${suite}_InRelease`)) ??
      names.find((each) => each.endsWith(`_dists_${suite}_Release`));
    const bytes = name === undefined ? Buffer.alloc(0) : readFileSync(join(lists, name));
    const facts = parseSuiteRelease(bytes.toString());
    if (!facts) throw new Error(`the release file of ${suite} has no date`);
    return { suite, date: facts.date, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

/** An argument for apt: `containerd=1.6.20~ds1-1+deb12u1`, or only the name for the newest version. */
function choose({ name, version }: DebRequest, index: PackageIndex): string {
  const versions = index.get(name);
  if (!versions) {
    throw noPackage(`there is no package called ${name}${didYouMean(name, index.keys())}`);
  }
  if (version === '*') return name;
  const fitting = versions.filter((each) => isMatch(each.version, version));
  if (fitting.length > 0) return `${name}=${newest(fitting).version}`;
  throw noPackage(
    `${name}: version ${version} does not exist; available: ${versions.map((each) => each.version).join(', ')}`,
  );
}

function isMatch(version: string, wanted: string): boolean {
  return wanted.endsWith('*') ? version.startsWith(wanted.slice(0, -1)) : version === wanted;
}

export function newest(versions: readonly IndexEntry[]): IndexEntry {
  return versions.reduce((best, each) => (compareDebian(each.version, best.version) > 0 ? each : best));
}

function noPackage(message: string): UserError {
  return new UserError(message, {
    code: 'image/no-such-package',
    kept: 'Nothing was changed.',
    next: 'correct the component in the manifest; `apt-cache policy NAME` shows the available versions',
  });
}
