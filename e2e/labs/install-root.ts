// e2e/labs/install-root.ts: a Debian system in a folder, without this repository, git and a network, to install packages in.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../../src/base/command.ts';
import { readPackageSources } from '../../src/host/debian/package-sources.ts';

export interface InstallRan {
  status: number | null;
  stdout: string;
  stderr: string;
  tookMs: number;
}

export interface InstallRoot {
  folder: string;
  /** Runs a program in the system, as root. `path` comes first on PATH. */
  run(argv: readonly string[], path?: string): InstallRan;
  remove(): void;
}

/** Where the system has what a test brings along. */
export const PACKAGES = '/packages';
export const NODE_24 = '/opt/node24/bin';
/** Run by Node.js: Debian's own npm is a package of hundreds of packages. */
export const NPM = '/opt/npm/bin';

const MAKE_MS = 30 * 60_000;

/** With Debian's own Node.js. `files` are copied to PACKAGES. */
export async function makeInstallRoot(suite: string, files: readonly string[]): Promise<InstallRoot> {
  if (process.getuid?.() !== 0) throw new Error('this test makes Debian systems: run it as root');
  const folder = mkdtempSync(join(tmpdir(), `headstart-install-${suite}-`));
  const root = join(folder, 'root');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { lines, aptConf } = await readPackageSources(suite, runCommand);
    writeFileSync(join(folder, 'apt.conf'), aptConf);
    const options = ['--mode=root', '--variant=apt', '--include=nodejs', `--aptopt=${join(folder, 'apt.conf')}`];
    const made = await runCommand(['mmdebstrap', ...options, suite, root, ...lines], { timeoutMs: MAKE_MS });
    if (made.code !== 0) throw new Error(`mmdebstrap failed: ${made.stderr}`);
    bring(root, files);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder: root, run: (argv, path) => runIn(root, argv, path), remove };
}

function bring(root: string, files: readonly string[]): void {
  mkdirSync(join(root, PACKAGES));
  for (const file of files) cpSync(file, join(root, PACKAGES, basename(file)));
  mkdirSync(join(root, NODE_24), { recursive: true });
  cpSync(realpathSync(process.execPath), join(root, NODE_24, 'node'));
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  cpSync(dirname(dirname(realpathSync(npm))), dirname(join(root, NPM)), { recursive: true });
}

/** With its own processes and mounts, and without a network. */
function runIn(root: string, argv: readonly string[], path?: string): InstallRan {
  const usual = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const isolated = ['--mount', '--net', '--pid', '--fork', '--kill-child', `--mount-proc=${join(root, 'proc')}`];
  const env = { PATH: path === undefined ? usual : `${path}:${usual}`, HOME: '/root', LC_ALL: 'C.UTF-8' };
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const startedMs = performance.now();
  const ran = spawnSync(
    'unshare',
    [...isolated, 'chroot', root, '/usr/bin/env', '-i', '--chdir=/root', ...words, ...argv],
    {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    },
  );
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr, tookMs: performance.now() - startedMs };
}
