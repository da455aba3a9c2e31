// image/build/base/unpack-base.ts: how do packages become an installed system? mmdebstrap installs them into a folder, in its own namespaces and without network.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitReporter } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { customizeScript, installScript } from '../../../host/debian/customize-script.ts';
import { mmdebstrapProgress } from '../../../host/debian/mmdebstrap-progress.ts';
import type { ToolArgv } from '../../../host/required-tools.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { NodeFiles } from '../files/node-files.ts';
import type { Package, PackageRepository } from './package-repository.ts';

export interface UnpackBaseDeps {
  /** Runs as root in new namespaces, which end with the command. */
  runAsRoot: RunCommand;
  /** A scratch folder that other users cannot read. */
  folder: string;
  signal?: AbortSignal | undefined;
  onWaiting?: WaitReporter | undefined;
}

export interface BaseContents {
  repository: PackageRepository;
  architecture: string;
  nodeFiles: NodeFiles;
  /** No file has a later time. */
  epochSec: number;
}

const DEADLINE_MS = 60 * 60_000;

/** Returns the folder. Throws unless exactly the packages of the repository are installed. */
export async function unpackBase(contents: BaseContents, deps: UnpackBaseDeps): Promise<string> {
  const { repository } = contents;
  const { runAsRoot, folder, signal } = deps;
  const [target, aptConf] = [join(folder, 'rootfs'), join(folder, 'apt.conf')];
  writeFileSync(aptConf, APT_CONF, { mode: 0o600 });
  const packages = repository.packages.map(({ name }) => name);
  const ran = await runAsRoot(unpackArgv({ ...contents, packages }, { target, aptConf }), {
    timeoutMs: DEADLINE_MS,
    signal,
    input: `${repository.source}\n`,
    onStderr: mmdebstrapProgress({ onWaiting: deps.onWaiting, count: repository.packages.length }),
  });
  signal?.throwIfAborted();
  if (ran.code !== 0) throw notInstalled(`mmdebstrap failed with ${ran.code ?? ran.outcome}: ${lastLines(ran.stderr)}`);
  const status = await runTool(runAsRoot, ['cat', join(target, 'var/lib/dpkg/status')], signal);
  const problem = installProblem(repository.packages, installedIn(status));
  if (problem !== undefined) throw notInstalled(problem);
  return target;
}

/** Everything passed to mmdebstrap except paths: a change may make a different base. */
export function unpackInputs(contents: Omit<BaseContents, 'repository'> & { packages: readonly string[] }): string[] {
  return [...unpackArgv(contents, { target: '', aptConf: '' }), APT_CONF];
}

/** As root, because apt's download user may not read our folder. Nothing is downloaded. */
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
    // Redistributing an image requires these files.
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    // After a power cut the build starts again, so syncing every file would be useless.
    '--dpkgopt=force-unsafe-io',
    `--essential-hook=${installScript(nodeFiles.initrdFiles)}`,
    `--customize-hook=${customizeScript(nodeFiles)}`,
    // No suite: the only repository is used completely.
    ...['', target, '-'],
  ];
}

/** Version by name of the installed packages. */
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
  return added.length > 0 ? `installed but not locked: ${added.join(', ')}` : undefined;
}

function notInstalled(why: string): UserError {
  return new UserError(`cannot install the locked packages: ${why}`, {
    code: 'image/not-installed',
    kept: 'No image was built.',
    next: 'make sure that the lock matches the manifest: headstart image lock',
    exitCode: 1,
  });
}

function lastLines(stderr: string): string {
  return stderr.trim().split('\n').slice(-4).join(' / ').slice(-700);
}
