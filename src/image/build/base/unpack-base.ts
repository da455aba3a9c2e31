// image/build/base/unpack-base.ts: packages become a folder with an installed system in it. mmdebstrap does it, in namespaces of its own and without a network.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Waiting } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { customizeScript, installScript } from '../../../host/debian/customize-script.ts';
import { tellSteps } from '../../../host/debian/mmdebstrap-progress.ts';
import type { ToolArgv } from '../../../host/required-tools.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { NodeFiles } from '../files/node-files.ts';
import type { Package, PackageRepository } from './package-repository.ts';

export interface UnpackBaseDeps {
  /** As root, in namespaces of its own that end with it. */
  runAsRoot: RunCommand;
  /** Scratch, closed to others. */
  folder: string;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
}

export interface BaseContents {
  repository: PackageRepository;
  architecture: string;
  nodeFiles: NodeFiles;
  /** No file is younger. */
  epochSec: number;
}

const DEADLINE_MS = 60 * 60_000;

/** Gives the folder. What is installed is exactly what the repository has, or it throws. */
export async function unpackBase(unpacking: BaseContents, deps: UnpackBaseDeps): Promise<string> {
  const { repository } = unpacking;
  const { runAsRoot, folder, signal } = deps;
  const [target, aptConf] = [join(folder, 'rootfs'), join(folder, 'apt.conf')];
  writeFileSync(aptConf, APT_CONF, { mode: 0o600 });
  const packages = repository.packages.map(({ name }) => name);
  const ran = await runAsRoot(unpackArgv({ ...unpacking, packages }, { target, aptConf }), {
    timeoutMs: DEADLINE_MS,
    signal,
    input: `${repository.source}\n`,
    onStderr: tellSteps({ onWaiting: deps.onWaiting, count: repository.packages.length }),
  });
  signal?.throwIfAborted();
  if (ran.code !== 0) throw notInstalled(`mmdebstrap ended with ${ran.code ?? ran.outcome}: ${lastWords(ran.stderr)}`);
  const status = await runTool(runAsRoot, ['cat', join(target, 'var/lib/dpkg/status')], signal);
  const problem = installProblem(repository.packages, installedIn(status));
  if (problem !== undefined) throw notInstalled(problem);
  return target;
}

/** All that is said to mmdebstrap, but for where: another word may make another base. */
export function unpackInputs(unpacking: Omit<BaseContents, 'repository'> & { packages: readonly string[] }): string[] {
  return [...unpackArgv(unpacking, { target: '', aptConf: '' }), APT_CONF];
}

/** apt would look at the machine's user for downloads, who may not read our folder; nothing is downloaded. */
const APT_CONF = 'APT::Install-Recommends "false";\nAPT::Sandbox::User "root";\nAcquire::Languages "none";\n';

export function unpackArgv(
  { packages, architecture, nodeFiles, epochSec }: Omit<BaseContents, 'repository'> & { packages: readonly string[] },
  { target, aptConf }: { target: string; aptConf: string },
): ToolArgv {
  const excluded = ['/usr/share/man/*', '/usr/share/doc/*', '/usr/share/info/*', '/usr/share/locale/*/*'];
  return [
    ...(['unshare', '--net', 'env', `SOURCE_DATE_EPOCH=${epochSec}`, 'LC_ALL=C', 'TZ=UTC'] as const),
    ...['mmdebstrap', '--variant=essential', '--mode=root', `--architectures=${architecture}`],
    ...['--verbose', '--format=directory'],
    `--include=${packages.join(',')}`,
    `--aptopt=${aptConf}`,
    ...excluded.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
    // Whoever passes the image on has to pass these on as well.
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    // A build that loses power is begun again; waiting for the disk after every file would be for nothing.
    '--dpkgopt=force-unsafe-io',
    `--essential-hook=${installScript(nodeFiles.initrdFiles)}`,
    `--customize-hook=${customizeScript(nodeFiles)}`,
    // No suite: there is one repository, and all of it is meant.
    ...['', target, '-'],
  ];
}

/** Version by name, of what dpkg says is there. */
export function installedIn(status: string): ReadonlyMap<string, string> {
  const paragraphs = status.split('\n\n').filter((text) => /^Status: install ok installed$/m.test(text));
  const field = (text: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return new Map(paragraphs.map((text) => [field(text, 'Package'), field(text, 'Version')]));
}

export function installProblem(
  locked: readonly Pick<Package, 'name' | 'version'>[],
  installed: ReadonlyMap<string, string>,
): string | undefined {
  const wrong = locked.filter(({ name, version }) => installed.get(name) !== version);
  if (wrong.length > 0) return `not installed: ${wrong.map(({ name, version }) => `${name} ${version}`).join(', ')}`;
  const names = new Set(locked.map(({ name }) => name));
  const added = [...installed.keys()].filter((name) => !names.has(name));
  return added.length > 0 ? `installed without being locked: ${added.join(', ')}` : undefined;
}

function notInstalled(why: string): UserError {
  return new UserError(`the locked packages do not make a system: ${why}`, {
    code: 'image/not-installed',
    kept: 'No image was made.',
    next: 'see that the lock is of the manifest that is there: headstart image lock',
    exitCode: 1,
  });
}

function lastWords(stderr: string): string {
  return stderr.trim().split('\n').slice(-4).join(' / ').slice(-700);
}
