// After a power loss at any point, the next boot must end in the same state as an undisturbed one.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  availableShells,
  contents,
  DONOR_FILES,
  DONOR_MACHINE_ID,
  makeClone,
  makeRoot,
  makeStubs,
  put,
  remove,
  run,
  SCRIPT,
  type Shell,
  SOURCE,
  seal,
  stub,
} from './testing.ts';

const stubs = makeStubs();
const { shells } = availableShells(stubs);
const scratch = mkdtempSync(join(tmpdir(), 'headstart-power-'));
afterAll(() => remove(stubs, scratch));

/** All cases take many minutes and run only with `HEADSTART_CAMPAIGN=full`. Otherwise an evenly spread sample runs. */
const IS_FULL = process.env.HEADSTART_CAMPAIGN === 'full';
const KILLED_LINES = IS_FULL ? Number.POSITIVE_INFINITY : 24;
const TIMEOUT_MS = 3_600_000;

interface Case {
  mode: string;
  /** Without a full campaign, only every n-th disk is tested. */
  every: number;
  make: (shell: Shell) => string;
  args: (root: string) => string[];
}

const CASES: Case[] = [
  {
    mode: 'seal',
    every: 2,
    make: () => makeRoot(),
    args: (root) => ['seal', '--root', root, '--from', SOURCE, '--donor-id', '4c4c4544-0042-5710-8051-b8c04f4e3232'],
  },
  { mode: 'check', every: 2, make: (shell) => makeClone(shell), args: (root) => ['check', '--root', root] },
  {
    mode: 'finish',
    every: 1,
    make: (shell) => {
      const root = makeClone(shell);
      run(shell, ['check', '--root', root]);
      put(root, '/proc/sys/kernel/hostname', 'clone\n');
      return root;
    },
    args: (root) => ['finish', '--root', root],
  },
  {
    mode: 'scrub',
    every: 6,
    make: (shell) => {
      const root = makeRoot();
      seal(shell, root);
      return root;
    },
    args: (root) => ['scrub', '--root', root],
  },
  {
    mode: 'unseal',
    every: 1,
    make: (shell) => {
      const root = makeRoot();
      seal(shell, root);
      return root;
    },
    args: (root) => ['unseal', '--root', root],
  },
];

// The busybox shell may use its built-in tools instead of the stubs, so it is tested only with a kill (below).
describe.each(shells.filter(({ name }) => name === 'dash'))('a power loss, with $name', (shell) => {
  // Only commands and redirections change the disk. The test copies the disk before and after each command that changes anything, so it
  // has every state that a power loss can leave between two lines.
  it.each(CASES)(
    'between any two changes of `$mode` is repaired by the next run',
    { timeout: TIMEOUT_MS },
    ({ make, args, every }) => {
      const whole = make(shell);
      const all = disksSeen(shell, whole, args(whole));
      const disks = all.filter((_, index) => IS_FULL || index % every === 0);
      const expected = comparable(whole);
      expect(disks.length).toBeGreaterThan(3);
      for (const disk of disks) {
        const ran = run(shell, args(disk));
        expect(ran, ran.stdout).toMatchObject({ code: 0 });
        expect(comparable(disk), disk).toEqual(expected);
      }
      process.stderr.write(
        `power loss, ${args(whole)[0]} with ${shell.name}: ${disks.length} of ${all.length} disks tested, all correct\n`,
      );
      remove(whole, ...all);
    },
  );
});

describe.each(shells)('a power loss, with $name', (shell) => {
  it('is repaired by the next boot after a kill at a line of the script', { timeout: TIMEOUT_MS }, () => {
    const template = makeClone(shell);
    const whole = copy(template);
    run(shell, ['check', '--root', whole]);
    const expected = comparable(whole);
    const lines = killableLines(shell);
    const every = Math.max(1, Math.ceil(lines.length / KILLED_LINES));
    let kills = 0;
    for (const line of lines.filter((_, index) => index % every === 0)) {
      const root = copy(template);
      const ran = run(shell, ['check', '--root', root], killedAt(line));
      if (ran.signal === 'SIGKILL') kills++;
      const again = run(shell, ['check', '--root', root]);
      expect(again, `killed at line ${line}: ${again.stdout}`).toMatchObject({ code: 0 });
      expect(comparable(root), `killed at line ${line}`).toEqual(expected);
      remove(root);
    }
    process.stderr.write(`power loss, ${kills} kills of check with ${shell.name}, all correct\n`);
    expect(kills).toBeGreaterThan(0);
    remove(template, whole);
  });
});

/** Runs the script and returns a copy of every different disk state. */
function disksSeen(shell: Shell, root: string, args: string[]): string[] {
  const folder = mkdtempSync(join(scratch, 'disks-'));
  const watched = mkdtempSync(join(scratch, 'watched-'));
  for (const name of ['rm', 'mv', 'ln', 'cat', 'chmod', 'mkdir', 'rmdir', 'find', 'ssh-keygen', 'openssl', 'sync']) {
    const real = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env: { PATH: shell.path } });
    if (real.status !== 0) continue;
    // mktemp gives each disk state a different name, also if two commands run at once.
    const copyDisk = '/bin/cp -a "$WATCHED" "$(/bin/mktemp -d "$DISKS/XXXXXX")/disk"';
    const program = real.stdout.trim();
    stub(
      watched,
      name,
      `${copyDisk}\n${name === 'rm' ? oneByOne(program, copyDisk) : `${program} "$@"`}\ncode=$?\n${copyDisk}\nexit $code`,
    );
  }
  const ran = run({ ...shell, path: `${watched}${delimiter}${shell.path}` }, args, SCRIPT, {
    WATCHED: root,
    DISKS: folder,
  });
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0 });
  const different = new Map<string, string>();
  const seen = readdirSync(folder).map((name) => join(folder, name, 'disk'));
  for (const disk of [...seen, ...seen.flatMap(halfWritten)]) {
    const key = JSON.stringify([...contents(disk)]);
    if (different.has(key)) rmSync(disk, { recursive: true });
    else different.set(key, disk);
  }
  remove(watched);
  return [...different.values()];
}

/** `rm` removes its arguments in order, and power may be lost between any two. */
function oneByOne(program: string, copyDisk: string): string {
  return `options= failed=0
    for word; do
      case $word in
        -*) options="$options $word" ;;
        *) ${program} $options "$word" || failed=$?; ${copyDisk} ;;
      esac
    done
    (exit $failed)`;
}

/** The shell writes temporary files itself, without a command: add the states with an empty and a half-written file. */
function halfWritten(disk: string): string[] {
  const paths = [...contents(disk).keys()].filter((path) => path.endsWith('.headstart-new'));
  return paths.flatMap((path) =>
    [0, 0.5].map((share) => {
      const other = copy(disk);
      const bytes = readFileSync(join(other, path));
      writeFileSync(join(other, path), bytes.subarray(0, bytes.length * share));
      return other;
    }),
  );
}

/** Lines before which a command can be inserted, according to the shell, except where it would change the meaning. */
function killableLines(shell: Shell): number[] {
  const lines = readFileSync(SCRIPT, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('main() {'));
  const program = linesOfPrograms(lines);
  return lines
    .map((_, index) => index)
    .filter(
      (index) =>
        index > start &&
        !program.has(index) &&
        lines[index]!.startsWith('  ') &&
        !/(\\|\||&&|\()$/.test(lines[index - 1]!),
    )
    .filter((index) => {
      const [program, ...before] = shell.argv;
      return spawnSync(program, [...before, '-n', killedAt(index)]).status === 0;
    });
}

/** Lines in quotes, which are awk or another shell. */
function linesOfPrograms(lines: readonly string[]): Set<number> {
  const inside = new Set<number>();
  let isInside = false;
  for (const [index, line] of lines.entries()) {
    if (isInside) inside.add(index);
    if (/(awk|sh -c) '$/.test(line)) isInside = true;
    else if (/^ *\}?'/.test(line)) isInside = false;
  }
  return inside;
}

function killedAt(index: number): string {
  const lines = readFileSync(SCRIPT, 'utf8').split('\n');
  const path = join(scratch, `killed-at-${index}`);
  writeFileSync(path, lines.toSpliced(index, 0, 'kill -KILL $$').join('\n'));
  return path;
}

function copy(root: string): string {
  const to = mkdtempSync(join(scratch, 'copy-'));
  mkdirSync(to, { recursive: true });
  cpSync(root, to, { recursive: true, verbatimSymlinks: true });
  return to;
}

/** Replaces random values by whether they are the donor's. Results of items depend on what the first try did. */
function comparable(root: string): Map<string, string> {
  const disk = contents(root);
  for (const [path, now] of disk) {
    if (path.startsWith('/dev/')) disk.delete(path); // output of a failed first try
    if (path.startsWith('/etc/ssh/ssh_host_')) disk.set(path, String(now.includes(DONOR_FILES[path] ?? 'nothing')));
    if (path.startsWith('/etc/kubernetes/certs/kubeletserver'))
      disk.set(path, String(now.includes(DONOR_FILES[path]!)));
    if (path.endsWith('/result')) disk.set(path, now.replaceAll('=absent', '=ok'));
    if (path === '/etc/machine-id' || path.endsWith('/owner')) {
      disk.set(
        path,
        now.replace(/[0-9a-f]{32}/, (id) => (id === DONOR_MACHINE_ID ? "the donor's" : 'its own')),
      );
    }
  }
  expect([...disk.keys()].filter((path) => path.endsWith('.headstart-new'))).toEqual([]);
  return disk;
}
