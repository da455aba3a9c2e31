// Runs the real shells on a pseudo terminal: types a line with Tab and Enter, and the program records its arguments.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { renderBash, renderFish, renderZsh } from './completion-script.ts';

const LAUNCHER = fileURLToPath(new URL('../../../headstart', import.meta.url));

const SHELLS = {
  bash: { command: 'bash --norc --noprofile -i', script: renderBash(LAUNCHER), prepare: '' },
  zsh: { command: 'zsh -f -i', script: renderZsh(LAUNCHER), prepare: 'autoload -Uz compinit; compinit -u -D; ' },
  fish: { command: 'fish --no-config -i', script: renderFish(LAUNCHER), prepare: '' },
} as const;
type Shell = keyof typeof SHELLS;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-completion-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'home/pools/pool1/instances/pool1-000001'), { recursive: true });
  mkdirSync(join(folder, 'charts'));
  writeFileSync(join(folder, 'my boot.txt'), UNITS.map(shown).join('\n'));
  writeFileSync(join(folder, 'bin/program'), PROGRAM);
  chmodSync(join(folder, 'bin/program'), 0o755);
  symlinkSync('program', join(folder, 'bin/headstart'));
  symlinkSync('bin/program', join(folder, 'headstart'));
  for (const [shell, { script }] of Object.entries(SHELLS)) writeFileSync(join(folder, `script.${shell}`), script);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Completes like the real program; otherwise records its arguments. */
const PROGRAM = `#!/bin/sh
[ "$1" != __complete ] || exec '${LAUNCHER}' "$@"
for word in "$@"; do printf '[%s]' "$word"; done >>"$SEEN"
echo >>"$SEEN"
`;

async function isInstalled(program: string): Promise<boolean> {
  return (await runCommand([program, '--version'])).outcome === 'exited';
}

const environment = () => ({
  PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
  HOME: folder,
  TERM: 'dumb',
  LC_ALL: 'C.UTF-8',
  HEADSTART_HOME: join(folder, 'home'),
  SEEN: join(folder, 'seen'),
});

/** The arguments of the program for each typed line; `⇥` is the Tab key. */
async function typed(shell: Shell, lines: readonly string[]): Promise<string[]> {
  const { command, prepare } = SHELLS[shell];
  const input = [`${prepare}cd '${folder}'; source '${folder}/script.${shell}'`, ...lines, 'exit', ''];
  writeFileSync(join(folder, 'seen'), '');
  const text = input.join('\n').replaceAll('⇥', '\t');
  await runCommand(['script', '-qec', command, '/dev/null'], { input: text, env: environment(), timeoutMs: 60_000 });
  return readFileSync(join(folder, 'seen'), 'utf8').trimEnd().split('\n');
}

const UNITS = ['modprobe@fuse.service', String.raw`dev-disk-by\x2dlabel-0000:01.device`, 'kubelet.service'];

/** Units in the format of `systemctl show`. */
function shown(unit: string, i: number): string {
  const after = UNITS[i - 1] ?? '';
  return `Id=${unit}\nAfter=${after}\nInactiveExitTimestampMonotonic=${i + 1}000000\nActiveEnterTimestampMonotonic=${i + 2}000000\n`;
}

/** The same input and the same result in all three shells. */
const LINES: readonly (readonly [line: string, seen: string])[] = [
  ['headstart bo⇥exp⇥--format=ch⇥', '[boot][export][--format=chrome-trace]'],
  ['headstart boot export --forma⇥otlp⇥', '[boot][export][--format][otlp-json]'],
  ['./headstart pool exec poo⇥-- ch⇥', '[pool][exec][pool1-000001][--][ch]'],
  // Not a file, although a file of this name exists.
  ['headstart pool show ch⇥', '[pool][show][ch]'],
  ['headstart boot chain -i my⇥modprobe@f⇥', '[boot][chain][-i][my boot.txt][modprobe@fuse.service]'],
  [
    String.raw`headstart boot chain --input=my⇥dev-disk-by\\x2dlabel-0000:⇥`,
    String.raw`[boot][chain][--input=my boot.txt][dev-disk-by\x2dlabel-0000:01.device]`,
  ],
  [
    'headstart boot what-if -i "my boot.txt" --set kube⇥1s',
    '[boot][what-if][-i][my boot.txt][--set][kubelet.service=1s]',
  ],
  [
    "headstart boot what-if -i 'my boot.txt' --drop-after 'kubelet.service dev⇥",
    String.raw`[boot][what-if][-i][my boot.txt][--drop-after][kubelet.service dev-disk-by\x2dlabel-0000:01.device]`,
  ],
];

describe.each(Object.keys(SHELLS) as Shell[])('%s', (shell) => {
  it('completes verbs, options, words, units, pools and files', { timeout: 90_000 }, async ({ skip }) => {
    for (const program of [shell, 'script']) {
      if (await isInstalled(program)) continue;
      console.warn(`not tested: completion in ${shell}, because ${program} is not installed`);
      skip(`${program} is not installed`);
    }
    expect(
      await typed(
        shell,
        LINES.map(([line]) => line),
      ),
    ).toEqual(LINES.map(([, seen]) => seen));
  });
});

describe('the bash function, called directly', () => {
  const offered = async (...words: string[]) => {
    const script = `cd "$1"; shift; ${SHELLS.bash.script}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _headstart; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ran = await runCommand(['bash', '-c', script, 'bash', folder, ...words], { env: environment() });
    expect(ran).toMatchObject({ outcome: 'exited', stderr: '' });
    return ran.stdout.toString().split('\n').filter(Boolean).sort();
  };

  it.each([
    [['headstart', 'co'], ['completion']],
    [['headstart', 'boot', 'systemd', 'ti'], ['time']],
    [['headstart', 'boot', 'export', '--f'], ['--format']],
    [
      ['headstart', 'boot', 'export', '--format', '=', 'c'],
      ['chrome-trace', 'csv'],
    ],
    [['headstart', 'boot', 'export', '-i', 'my'], ['my boot.txt']],
    [['headstart', 'pool', 'list', '--home', 'c'], ['charts']],
    [['an-alias', 'pool', 'show', ''], ['pool1']],
    [['headstart', 'nothing-of-ours', ''], []],
  ])('after %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});
