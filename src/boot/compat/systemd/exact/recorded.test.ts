// Compares the output of every verb with recorded output of systemd-analyze.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyBoot, FIXTURES, recordedBoot } from '../testing.ts';
import { behaviourOf, NEWEST_VERSION, OLDEST_VERSION, parseVersion } from '../versions.ts';
import { analyze } from './testing.ts';
import type { ToolOutput } from './tool-output.ts';

const MODELS = ['container', 'initrd', 'm1-handmade', 'never-reached', 'r00', 'r03'];

test.each(MODELS)('prints the same as systemd-analyze 252, byte for byte, for the model %s', (model) => {
  const record = recordedBoot(`models/${model}`);
  const expected = (name: string) => readFileSync(join(FIXTURES, 'models', model, `expected.${name}`), 'utf8');
  expect(analyze(record, ['time']).stdout).toBe(expected('time.txt'));
  expect(analyze(record, ['blame']).stdout).toBe(expected('blame.txt'));
  expect(analyze(record, ['critical-chain']).stdout).toBe(expected('critical-chain.txt'));
  expect(analyze(record, ['critical-chain', '--fuzz=1s']).stdout).toBe(expected('critical-chain.fuzz1s.txt'));
});

test('draws the same plot as systemd-analyze 252, byte for byte', () => {
  const expected = readFileSync(join(FIXTURES, 'models/initrd/expected.plot.svg'), 'utf8');
  expect(analyze(recordedBoot('models/initrd'), ['plot']).stdout).toBe(expected);
});

interface RecordedOutput extends ToolOutput {
  args: string[];
  crashed: boolean;
}

const RECORDED = readdirSync(join(FIXTURES, 'systemd'), { recursive: true, encoding: 'utf8' }).flatMap((path) => {
  const [, folder, release] = /^(.+)\/systemd-analyze-(.+)\.json$/.exec(path) ?? [];
  if (folder === undefined || release === undefined) return [];
  const cases = JSON.parse(readFileSync(join(FIXTURES, 'systemd', path), 'utf8')) as RecordedOutput[];
  return cases.map((recorded) => ({ folder, release, command: recorded.args.join(' '), recorded }));
});

test('there are recordings of three versions', () => {
  expect([...new Set(RECORDED.map(({ release }) => release))].sort()).toEqual(['252', '259', '262.1']);
});

test.each(RECORDED)(
  'prints the same as systemd-analyze $release: $folder $command',
  ({ folder, release, recorded }) => {
    const { args, crashed, exitCode, stdout, stderr } = recorded;
    const { version, point } = parseVersion(release);
    const answer = analyze(recordedBoot(`systemd/${folder}`), args, behaviourOf(version, point));
    expect(answer.stdout).toBe(stdout);
    expect(answer.exitCode).toBe(exitCode);
    if (crashed) expect(answer.stderr).toMatch(/^[^\n]+\n$/);
    else expect(answer.stderr).toBe(stderr);
  },
);

test('never throws, for any version and any graph', () => {
  const verbs = [
    ['time'],
    ['blame'],
    ['critical-chain'],
    ['critical-chain', 'u1.service', 'nosuch', '--fuzz=1s'],
    ['plot'],
    ['dot', 'u*'],
  ];
  fc.assert(
    fc.property(
      anyBoot,
      fc.integer({ min: OLDEST_VERSION, max: NEWEST_VERSION }),
      fc.constantFrom(...verbs),
      (record, version, args) => {
        const answer = analyze(record, args, behaviourOf(version));
        expect([0, 1]).toContain(answer.exitCode);
        expect(answer.stdout + answer.stderr).not.toMatch(/NaN|undefined|Infinity/);
      },
    ),
    { numRuns: 200 },
  );
});
