// demo/packages.ts: the packages that a generic node installs on its first boot, downloaded once per image.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../src/base/command.ts';
import { readPackageSources } from '../src/host/debian/package-sources.ts';
import { runTool } from '../src/host/run-tool.ts';

/** Packages that a Kubernetes node needs besides kubelet. */
const WANTED = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'conntrack', 'socat', 'ethtool'];
const DEADLINE_MS = 30 * 60_000;

export interface PackagesAsked {
  /** The image that they are installed on, and its suite. */
  disk: string;
  suite: string;
  /** Kept for the next demo, by the name of the image. */
  folder: string;
}

/** File names in `folder`: the requested packages and their dependencies that the image lacks. */
export async function ensurePackages({ disk, suite, folder }: PackagesAsked, run: RunCommand): Promise<string[]> {
  const packages = debsIn(folder);
  if (packages.length > 0) return packages;
  const work = `${folder}.partial`;
  rmSync(work, { recursive: true, force: true });
  for (const needed of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, needed), { recursive: true });
  const sources = await readPackageSources(suite, run);
  writeFileSync(join(work, 'sources.list'), `${sources.lines.join('\n')}\n`, { mode: 0o600 });
  writeFileSync(join(work, 'apt.conf'), `${sources.aptConf}${settings(work)}`, { mode: 0o600 });
  await readStatus(disk, work, run);
  const env = { ...process.env, APT_CONFIG: join(work, 'apt.conf') };
  const apt = (...args: string[]) =>
    runTool((argv, options) => run(argv, { ...options, env, timeoutMs: DEADLINE_MS }), ['apt-get', '-qq', ...args]);
  await apt('update');
  await apt('install', '--yes', '--download-only', ...WANTED);
  renameSync(join(work, 'cache', 'archives'), folder);
  rmSync(work, { recursive: true, force: true });
  return debsIn(folder);
}

/** apt with separate folders, independent of this machine's packages and lists. */
function settings(work: string): string {
  const paths = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': join(work, 'cache'),
    'Dir::Etc::SourceList': join(work, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'APT::Architecture': 'amd64',
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(paths)
    .map(([key, value]) => `${key} "${value}";\n`)
    .join('');
}

/** The packages on the image, read from its disk without a mount or a boot. */
async function readStatus(disk: string, work: string, run: RunCommand): Promise<void> {
  const raw = join(work, 'disk.raw');
  await runTool(run, ['qemu-img', 'convert', '-O', 'raw', disk, raw]);
  await runTool(run, ['debugfs', '-R', `dump /var/lib/dpkg/status ${join(work, 'status')}`, raw]);
  rmSync(raw);
}

function debsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.deb'));
  } catch {
    return [];
  }
}
