// The output of verbs on terminals of several widths, and the output that does not depend on the terminal.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth, longestWord } from './output/display-width.ts';
import { type CliResult, run } from './testing.ts';

const BOOTS = fileURLToPath(new URL('../boot/fixtures/boots', import.meta.url));
const SEEDS = fileURLToPath(new URL('../boot/fixtures/seeds', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../examples/image/image.yaml', import.meta.url));
const NODE = join(BOOTS, 'node-boot.tar.gz');

let folder: string;
let budget: string;
let manifest: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-terminal-'));
  manifest = join(folder, 'image.yaml');
  writeFileSync(manifest, readFileSync(EXAMPLE, 'utf8').replace(/^kind:.*$/m, 'kind: NoSuchThing\nnoSuchField: 1'));
  budget = join(folder, 'budget.yaml');
  writeFileSync(budget, 'total: 60s\nphases: {kernel: 20s}\nunits: {kubelet.service: 1s, nosuch.service: 1s}\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const VERBS: readonly (readonly [string, () => string[]])[] = [
  ['boot timeline', () => ['boot', 'timeline', '-i', NODE]],
  ['boot blame', () => ['boot', 'blame', '-i', NODE]],
  ['boot chain', () => ['boot', 'chain', '-i', NODE]],
  ['boot chain of a pasted listing', () => ['boot', 'chain', '-i', join(SEEDS, 'docker.critical-chain.txt')]],
  ['boot what-if', () => ['boot', 'what-if', '--set', 'containerd.service=0s', '-i', NODE]],
  ['boot what-if --scan', () => ['boot', 'what-if', '--scan', '-i', NODE]],
  ['boot compare', () => ['boot', 'compare', join(BOOTS, 'first-boot.tar.gz'), join(BOOTS, 'clone-boot.tar.gz')]],
  ['boot check', () => ['boot', 'check', '--budget', budget, '-i', NODE]],
  ['image check', () => ['image', 'check', '-f', manifest]],
  ['image check --rules', () => ['image', 'check', '--rules']],
  ['node schema --fields', () => ['node', 'schema', '--fields']],
];

/** A word that is wider than the terminal is not broken. */
function isTooWide(line: string, columns: number): boolean {
  return displayWidth(line) > columns && longestWord(stripVTControlCharacters(line)) <= columns;
}

describe.each(VERBS)('%s', (_, argv) => {
  let piped: CliResult;
  let narrow: CliResult;
  beforeAll(async () => {
    piped = await run(argv());
    narrow = await run(argv(), { columns: 60 });
  });

  it('fits terminals of 60 and of 100 columns', async () => {
    const tooWide = ({ stdout, stderr }: CliResult, columns: number) =>
      `${stdout}${stderr}`.split('\n').filter((line) => isTooWide(line, columns));
    expect(tooWide(narrow, 60)).toEqual([]);
    expect(tooWide(await run(argv(), { columns: 100 }), 100)).toEqual([]);
  });

  it('loses no time on a narrow terminal', async () => {
    const times = (text: string) =>
      stripVTControlCharacters(text)
        .match(/[-+]?\b(?:\d+min )?\d+\.?\d*m?s\b/g)
        ?.sort();
    expect(times(narrow.stdout)).toEqual(times(piped.stdout));
    expect(times((await run(argv(), { columns: 5 })).stdout)).toEqual(times(piped.stdout));
  });

  it('prints the same text without colour, and a pipe gets no colour and no width limit', async () => {
    const plain = await run(argv(), { columns: 60, env: { NO_COLOR: '1' } });
    expect(stripVTControlCharacters(narrow.stdout)).toBe(plain.stdout);
    expect(`${plain.stdout}${piped.stdout}`).not.toContain('\u001b');
    expect(await run(argv(), { env: { COLUMNS: '60' } })).toEqual(piped);
  });

  it('--json is the same on a terminal', async () => {
    const json = [...argv(), '--json'];
    expect((await run(json, { columns: 60 })).stdout).toBe((await run(json)).stdout);
  });
});

describe('names from logs on a terminal', () => {
  const recordWith = async (name: string) => {
    const { stdout } = await run([
      'boot',
      'export',
      '--format',
      'json',
      '-i',
      join(SEEDS, 'docker.critical-chain.txt'),
    ]);
    return stdout.replaceAll(/"(?:docker|systemd-networkd)\.service"/g, JSON.stringify(name));
  };

  it.each(['timeline', 'blame', 'chain'])('cannot control it: %s', async (verb) => {
    const stdin = await recordWith('evil\u001b[2J\u009b2J.service');
    const { code, stdout } = await run(['boot', verb, '-i', '-'], { stdin, columns: 60 });
    expect(code).toBe(0);
    if (verb !== 'timeline') expect(stdout).toContain('evil\ufffd[2J\ufffd2J.service');
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u001b\u009b]/);
  });

  it('are aligned by the width of their characters', async () => {
    const name = `${'日本語'.repeat(6)}.service`;
    const stdin = await recordWith(name);
    const { stdout } = await run(['boot', 'chain', '-i', '-'], { stdin, columns: 50 });
    const lines = stripVTControlCharacters(stdout).split('\n');
    expect(lines).toContain(`  └─${name}`);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(50);
  });
});
