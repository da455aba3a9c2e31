// e2e/install.test.ts: are the packages of `make dist` installed and used without this repository, and are they the same bytes each time?
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InstallRan, type InstallRoot, makeInstallRoot, NODE_24, NPM, PACKAGES } from './labs/install-root.ts';
import { copyTree, YEARS_LATER } from './labs/other-tree.ts';

const LONG_MS = 60 * 60_000;
const repository = join(import.meta.dirname, '..');
const BOOT = join(repository, 'src/boot/fixtures/boots/first-boot.tar.gz');
const QUESTION = ['boot', 'blame', `${PACKAGES}/first-boot.tar.gz`, '--at-least', '10s'];
const scratch = mkdtempSync(join(tmpdir(), 'headstart-dist-'));
const dist = join(scratch, 'dist');
const otherTree = join(scratch, 'a-tree-somewhere-else', 'deeper');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const [debian, arch] = process.arch === 'arm64' ? ['arm64', 'arm64'] : ['amd64', 'x64'];
const TARBALL = `headstart-${version}.tgz`;
const EXECUTABLE = `headstart-${version}-linux-${arch}`;
const DEB = `headstart_${version}_${debian}.deb`;
let answer: string;

beforeAll(() => {
  copyTree(repository, otherTree); // first: the repository may be edited while this runs
  build(repository, dist);
  answer = execFileSync(join(repository, 'headstart'), [...QUESTION.slice(0, 2), BOOT, ...QUESTION.slice(3)], {
    encoding: 'utf8',
  });
}, LONG_MS);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const inDist = (name: string) => join(dist, name);
const show = (what: string, ran: InstallRan, size: string) =>
  console.log(`${what}: first answer in ${ran.tookMs.toFixed(0)} ms, ${size} (load ${loadavg()[0]!.toFixed(1)})`);

function build(tree: string, to: string, { flags = [], umask = '022', env = {} }: Partial<Circumstances> = {}): void {
  const argv = ['--disable-warning=ExperimentalWarning', ...flags, join(tree, 'src/packages/build.ts'), to];
  const ran = spawnSync('sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, ...argv], {
    cwd: tree,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  });
  expect(ran, ran.stderr).toMatchObject({ status: 0, stderr: '' });
}

interface Circumstances {
  flags: string[];
  umask: string;
  env: Record<string, string>;
}

describe.each(['bookworm', 'trixie'])('on an empty Debian %s', { timeout: LONG_MS }, (suite) => {
  let root: InstallRoot;
  beforeAll(async () => {
    root = await makeInstallRoot(suite, [...[TARBALL, EXECUTABLE, DEB].map(inDist), BOOT]);
    expect(root.run(['sh', '-c', 'command -v headstart git npm']).stdout).toBe('');
  }, LONG_MS);
  afterAll(() => root?.remove());

  const expectAnswer = (ran: InstallRan) => {
    expect(ran.stderr).toBe('');
    expect(ran).toMatchObject({ status: 0, stdout: answer });
  };
  const npm = (...args: string[]) => root.run(['node', `${NPM}/npm-cli.js`, ...args], NODE_24);

  test('the npm package is installed with `npm install --global`, and answers', () => {
    expect(npm('install', '--global', '--prefix=/opt/global', '--offline', `${PACKAGES}/${TARBALL}`).stderr).toBe('');
    const ran = root.run(['/opt/global/bin/headstart', ...QUESTION], NODE_24);
    expectAnswer(ran);
    const installed = execFileSync('du', ['-sk', join(root.folder, 'opt/global')], { encoding: 'utf8' });
    const kib = Number.parseInt(installed, 10);
    show(
      `${suite}, npm package`,
      ran,
      `${megabytes(statSync(inDist(TARBALL)).size)}, ${(kib / 1024).toFixed(1)} MiB installed`,
    );
    expect(kib).toBeLessThan(25 * 1024);
    expect(readdirSync(join(root.folder, 'opt/global/lib/node_modules'))).toEqual(['headstart']);
  });

  test('the npm package runs with npx', () => {
    const npx = ['node', `${NPM}/npx-cli.js`, '--yes', '--offline', `--package=${PACKAGES}/${TARBALL}`, 'headstart'];
    const ran = root.run([...npx, ...QUESTION], NODE_24);
    expectAnswer(ran);
    show(`${suite}, npx`, ran, 'install included');
  });

  test('with the Node.js of Debian, the npm package says what is needed', () => {
    const node = root.run(['/usr/bin/node', '--version']).stdout.trim();
    const ran = root.run(['/opt/global/bin/headstart', ...QUESTION]);
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toContain(`headstart needs Node.js 24 or newer; this is ${node.slice(1)}, /usr/bin/node\n`);
    console.log(`${suite}, npm package with Node.js ${node}:\n${ran.stderr}`);
  });

  test('the executable answers without Node.js', () => {
    const ran = root.run([`${PACKAGES}/${EXECUTABLE}`, ...QUESTION]);
    expectAnswer(ran);
    show(`${suite}, executable`, ran, megabytes(statSync(inDist(EXECUTABLE)).size));
  });

  test('the Debian package is installed with apt, answers, and is removed', () => {
    const installed = root.run(['apt-get', 'install', '--yes', `${PACKAGES}/${DEB}`]);
    expect(installed, installed.stderr).toMatchObject({ status: 0 });
    const ran = root.run(['headstart', ...QUESTION]);
    expectAnswer(ran);
    show(`${suite}, Debian package`, ran, megabytes(statSync(inDist(DEB)).size));
    expect(root.run(['dpkg', '--verify', 'headstart']).stdout).toBe('');
    const completion = `. /usr/share/bash-completion/completions/headstart
COMP_WORDS=(headstart boot bla) COMP_CWORD=2 COMP_LINE='headstart boot bla'; _headstart headstart bla; echo "$COMPREPLY"`;
    expect(root.run(['bash', '-c', completion]).stdout.trim()).toBe('blame');
    expect(root.run(['apt-get', 'remove', '--yes', 'headstart'])).toMatchObject({ status: 0 });
    expect(root.run(['sh', '-c', 'ls -d /usr/bin/headstart /usr/share/doc/headstart']).stdout).toBe('');
  });
});

describe('every way to run headstart', () => {
  /** Program and first arguments. */
  const ways = () => {
    const installed = join(scratch, 'global');
    mkdirSync(installed, { recursive: true });
    execFileSync('npm', ['install', '--global', `--prefix=${installed}`, '--offline', inDist(TARBALL)], {
      stdio: 'pipe',
    });
    return [[join(installed, 'bin/headstart')], [inDist(EXECUTABLE)]] as const;
  };

  test('runs its worker threads, its programs and the files they read', () => {
    for (const [program] of ways()) {
      const run = (...args: string[]) => spawnSync(program, args, { encoding: 'utf8', cwd: scratch });
      // A worker thread reads the units of a boot.
      const words = ['headstart', 'boot', 'chain', '-i', BOOT, 'cloud-fin'];
      expect(run('__complete', 'bash', words.join(' '), 'cloud-fin', '--', ...words).stdout).toContain(
        'cloud-final.service',
      );
      // A report contains style sheets and scripts of its own.
      expect(run('boot', 'report', BOOT, '-o', '-').stdout).toBe(
        execFileSync(join(repository, 'headstart'), ['boot', 'report', BOOT, '-o', '-'], { encoding: 'utf8' }),
      );
      expect(run('completion', 'bash').stdout).toContain(
        program.includes('global') ? 'lib/node_modules/headstart' : program,
      );
    }
  });

  test('simulates Azure, and inspects a donor there with the SDK and the stand-in for ssh', async () => {
    for (const [program] of ways()) {
      const simulator = spawn(program, ['sim', 'azure', '--json'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd: scratch,
      });
      try {
        let text = '';
        for await (const piece of simulator.stdout) {
          text += piece;
          if (text.endsWith('}\n')) break;
        }
        const { env } = JSON.parse(text) as { env: Record<string, string> };
        const pool = 'k8s-pool1-12345678-vmss';
        const plan = ['prototype', 'plan', '--no-cluster', '--pool', pool, '--node', `${pool}000000`];
        const ran = spawnSync(program, [...plan, '--over-ssh', '--inspect'], {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: scratch, ...env },
        });
        expect(ran, ran.stderr).toMatchObject({ status: 0 });
        expect(ran.stdout).toContain(`${pool}000000, inspected from inside:`);
      } finally {
        simulator.kill();
      }
    }
  });

  test('shows its help fast', () => {
    for (const [program] of ways()) {
      const tookMs = Array.from({ length: 9 }, () => {
        const startedMs = performance.now();
        expect(spawnSync(program, ['--help']).status).toBe(0);
        return performance.now() - startedMs;
      });
      const median = tookMs.sort((a, b) => a - b)[4]!;
      console.log(
        `${program.split('/').at(-1)} --help: median ${median.toFixed(0)} ms, load ${loadavg()[0]!.toFixed(1)}`,
      );
    }
  });
});

describe('a second build, elsewhere and years later', { timeout: LONG_MS }, () => {
  test('gives the same bytes', () => {
    const again = join(scratch, 'again');
    const env = { TZ: 'Asia/Kathmandu', LC_ALL: 'C.UTF-8', SOURCE_DATE_EPOCH: '1' };
    build(otherTree, again, { flags: ['--import', YEARS_LATER], umask: '077', env });
    const sums = readFileSync(inDist('SHA256SUMS'), 'utf8');
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums);
    expect(sums.trim().split('\n')).toHaveLength(9);
    expect(spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: again }).status).toBe(0);
    console.log(`built twice, in two folders and years apart:\n${sums}`);
  });
});
