import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { type Place, renderBash, renderFish, renderZsh } from './completion-script.ts';

const help = { short: '-h', long: '--help', takesValue: false, summary: 'print the help' };
const PLACES: Place[] = [
  { path: '', summary: '', options: [help] },
  { path: 'boot', summary: "where did the time go: the node's boot", options: [help] },
  { path: 'boot systemd', summary: 'systemd', options: [help] },
  { path: 'completion', summary: 'shells', options: [help], choices: ['bash', 'fish'] },
  {
    path: 'boot export',
    summary: 'other formats',
    options: [
      help,
      { short: '-i', long: '--input', takesValue: true, summary: 'read this: a file' },
      { long: '--format', takesValue: true, choices: ['json', 'csv'], summary: "the format; don't guess" },
    ],
  },
  { path: 'boot systemd time', summary: 'time', options: [help, { long: '--json', takesValue: false, summary: 'x' }] },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-completion-'));
  writeFileSync(join(folder, 'boot file.tar.gz'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash would offer for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `cd "$1"; shift
${renderBash(PLACES)}
COMP_WORDS=(headstart "$@") COMP_CWORD=$#
_headstart
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = await runCommand(['bash', '-c', script, 'bash', folder, ...words]);
  expect(ran).toMatchObject({ outcome: 'exited', stderr: '' });
  return ran.stdout.toString().split('\n').filter(Boolean).sort();
}

describe('bash', () => {
  it.each([
    [[''], ['boot', 'completion']],
    [['b'], ['boot']],
    [
      ['boot', ''],
      ['export', 'systemd'],
    ],
    [['boot', 'systemd', ''], ['time']],
    [
      ['boot', 'systemd', 'time', '--'],
      ['--help', '--json'],
    ],
    [['boot', 'export', '--f'], ['--format']],
    [
      ['boot', 'export', '--format', ''],
      ['csv', 'json'],
    ],
    [['boot', 'export', '-i', 'bo'], ['boot file.tar.gz']],
    [['boot', 'export', '-i', 'boot', ''], ['boot file.tar.gz']],
    [['boot', 'systemd', 'time', 'bo'], ['boot file.tar.gz']],
    [
      ['nothing', ''],
      ['boot', 'completion'],
    ],
  ])('after %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

describe('zsh and fish', () => {
  it('zsh gets every word and flag with its summary, colons and quotes written so that it takes them for text', () => {
    const script = renderZsh(PLACES);
    expect(script.startsWith('#compdef headstart\n')).toBe(true);
    expect(script).toContain(String.raw`'boot:where did the time go: the node'\''s boot'`);
    expect(script).toContain(String.raw`'--input:read this\: a file'`);
    expect(script).not.toMatch(/\bpath=/);
  });

  it('fish gets one line per word and option, each for its place only', () => {
    const lines = renderFish(PLACES).split('\n');
    expect(lines).toContain(
      String.raw`complete -c headstart -n '__headstart_at \'boot export\'' -l format -r -f -a 'json csv' -d 'the format; don\'t guess'`,
    );
    expect(lines).toContain(
      String.raw`complete -c headstart -n '__headstart_at \'boot\'' -f -a 'export' -d 'other formats'`,
    );
  });
});
