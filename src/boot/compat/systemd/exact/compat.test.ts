import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSpan } from '../../../../base/duration.ts';
import type { BootRecord } from '../../../model/record.ts';
import { anyBoot, boot, FIXTURES, recordedBoot, unit } from '../testing.ts';
import { behaviourOf, NEWEST_VERSION, OLDEST_VERSION, parseVersion } from '../versions.ts';
import { compatBlame } from './blame.ts';
import { compatCriticalChain } from './critical-chain.ts';
import { compatDot } from './dot.ts';
import { compatPlot } from './plot.ts';
import type { Printed } from './printed.ts';
import { compatTime } from './time.ts';

const V252 = behaviourOf(252);
const NEWEST = behaviourOf(NEWEST_VERSION);
const SVG = { format: 'svg', hasLegend: true, scale: 1, isDetailed: false } as const;

/** As the real tool is called, so that recorded command lines can be replayed. */
function analyze(record: BootRecord, [verb, ...rest]: string[], behaviour = V252): Printed {
  const values = (name: string) =>
    rest.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
  const positional = rest.filter((arg) => !arg.startsWith('--'));
  const fuzzUs = parseSpan(values('fuzz')[0] ?? '0')!;
  if (verb === 'time') return compatTime(record, behaviour);
  if (verb === 'blame') return compatBlame(record, behaviour);
  if (verb === 'plot') return compatPlot(record, behaviour, SVG);
  if (verb === 'critical-chain') {
    return compatCriticalChain(record, behaviour, { targets: positional, fuzzUs, isColoured: false });
  }
  return compatDot(record, behaviour, {
    edges: rest.includes('--order') ? 'order' : rest.includes('--require') ? 'require' : 'all',
    patterns: positional,
    fromPatterns: values('from-pattern'),
    toPatterns: values('to-pattern'),
  });
}

const MODELS = ['container', 'initrd', 'm1-handmade', 'never-reached', 'r00', 'r03'];

test.each(MODELS)('prints byte for byte what systemd-analyze 252 printed of the model %s', (model) => {
  const record = recordedBoot(`models/${model}`);
  const expected = (name: string) => readFileSync(join(FIXTURES, 'models', model, `expected.${name}`), 'utf8');
  expect(analyze(record, ['time']).stdout).toBe(expected('time.txt'));
  expect(analyze(record, ['blame']).stdout).toBe(expected('blame.txt'));
  expect(analyze(record, ['critical-chain']).stdout).toBe(expected('critical-chain.txt'));
  expect(analyze(record, ['critical-chain', '--fuzz=1s']).stdout).toBe(expected('critical-chain.fuzz1s.txt'));
});

test('draws byte for byte the picture that systemd-analyze 252 drew', () => {
  const expected = readFileSync(join(FIXTURES, 'models/initrd/expected.plot.svg'), 'utf8');
  expect(analyze(recordedBoot('models/initrd'), ['plot']).stdout).toBe(expected);
});

interface Recorded extends Printed {
  args: string[];
  crashed: boolean;
}

const RECORDED = ['tangle', 'deep', 'firmware-initrd', 'container', 'container-assertion', 'unfinished'].flatMap(
  (folder) => {
    const cases = JSON.parse(
      readFileSync(join(FIXTURES, 'systemd', folder, 'systemd-analyze-252.json'), 'utf8'),
    ) as Recorded[];
    return cases.map((recorded) => ({ folder, command: recorded.args.join(' '), recorded }));
  },
);

test.each(RECORDED)('answers as systemd-analyze 252 did: $folder $command', ({ folder, recorded }) => {
  const { args, crashed, exitCode, stdout, stderr } = recorded;
  const answer = analyze(recordedBoot(`systemd/${folder}`), args);
  expect(answer.stdout).toBe(stdout);
  expect(answer.exitCode).toBe(exitCode);
  if (crashed) expect(answer.stderr).toMatch(/^[^\n]+\n$/);
  else expect(answer.stderr).toBe(stderr);
});

test('edge case 28: before v256 a unit from before userspace is printed with 584542 years, afterwards by name only', () => {
  const record = boot([unit('goal.target', 9, 9, { after: ['early.service'] }), unit('early.service', 1, 1.5)]);
  expect(analyze(record, ['critical-chain', 'goal.target']).stdout).toMatch(/└─early\.service @584542y .* \+500ms\n$/);
  expect(analyze(record, ['critical-chain', 'goal.target'], NEWEST).stdout).toMatch(/└─early\.service\n$/);
});

test('edge case 29: a root without data has no line of its own, but its chain is printed', () => {
  const record = boot([unit('goal.target', 0, 0, { after: ['base.target'] }), unit('base.target', 9, 9)]);
  expect(analyze(record, ['critical-chain', 'goal.target']).stdout.split('\n\n')[1]).toBe('└─base.target @7s\n');
});

test('edge case 33: a soft reboot counts from the shutdown before it and leaves out units from before', () => {
  const soft = { softRebootsCount: 2, shutdownStartUs: 100e6, userspaceUs: 103e6, finishUs: 110e6, initrdUs: 1e6 };
  const record = boot(
    [
      unit('multi-user.target', 108, 108),
      unit('old.service', 5, 6),
      unit('new.service', 104, 106, { deactivatedUs: 50e6 }),
    ],
    soft,
  );
  expect(analyze(record, ['time'], NEWEST).stdout).toBe(
    'Startup finished in 3s (soft reboot #2) + 7s (userspace) \nmulti-user.target reached after 5s in userspace.\n',
  );
  expect(analyze(record, ['blame'], NEWEST).stdout).toBe('2s new.service\n');
});

test('edge case 34: an unfinished boot is a three-line error, except for blame from v254 on', () => {
  const record = boot([unit('a.service', 3, 5)], { finishUs: 0 });
  for (const verb of ['time', 'blame', 'critical-chain', 'plot']) {
    const answer = analyze(record, [verb]);
    expect(answer).toMatchObject({ stdout: '', exitCode: 1 });
    expect(answer.stderr.split('\n')).toHaveLength(4);
  }
  expect(analyze(record, ['blame'], NEWEST)).toEqual({ stdout: '2s a.service\n', stderr: '', exitCode: 0 });
});

test('edge case 35: a default target that was never reached is said so, with a full stop from v251 on', () => {
  const record = boot([unit('graphical.target', 0, 0, { aliases: ['default.target'] })]);
  expect(analyze(record, ['time']).stdout).toMatch(/\ngraphical\.target was never reached\.\n$/);
  expect(analyze(record, ['time'], behaviourOf(249)).stdout).toMatch(/\ngraphical\.target was never reached\n$/);
});

test('edge case 36: firmware without a loader, and absurd firmware, are printed as they are', () => {
  const record = boot([], { firmwareUs: 1_700e6 });
  expect(analyze(record, ['time']).stdout).toMatch(
    /^Startup finished in 28min 20s \(firmware\) \+ 2s \(kernel\) \+ 58s \(userspace\) = 29min 20s \n/,
  );
});

test('the wording of the header changed in v242', () => {
  const record = boot([unit('a.service', 3, 5)]);
  expect(analyze(record, ['critical-chain', 'a.service'], behaviourOf(241)).stdout).toContain(
    'The time after the unit is active',
  );
  expect(analyze(record, ['critical-chain', 'a.service'], behaviourOf(242)).stdout).toContain(
    'The time when unit became active',
  );
});

test('dot draws BindsTo in gold from v256 on', () => {
  const record = boot([unit('a.service', 3, 5, { bindsTo: ['b.device'] })]);
  expect(analyze(record, ['dot']).stdout).not.toContain('b.device');
  expect(analyze(record, ['dot'], NEWEST).stdout).toContain('\t"a.service"->"b.device" [color="gold"];\n');
  expect(analyze(record, ['dot'], NEWEST).stderr).toContain('gold      = BindsTo\n');
});

test('plot --json has a legend after it unless told otherwise, and cuts stamps at the end of the boot', () => {
  const record = boot([unit('a.service', 3, 5), unit('late.service', 70, 90)]);
  const plot = (format: 'json-short' | 'json-pretty', hasLegend: boolean) =>
    compatPlot(record, NEWEST, { ...SVG, format, hasLegend }).stdout;
  expect(plot('json-short', true)).toMatch(/\]\n\n2 Units listed\.\n$/);
  const rows = JSON.parse(plot('json-pretty', false));
  expect(rows[0]).toEqual({
    name: 'a.service',
    activated: 5e6,
    activating: 3e6,
    time: 2e6,
    deactivated: 60e6,
    deactivating: 60e6,
  });
  expect(rows[1]).toMatchObject({ activating: 70e6, activated: 60e6 });
});

test('--compat takes a version as systemd writes it and refuses what it does not know', () => {
  expect(parseVersion('252.39-1~deb12u2')).toBe(252);
  expect(parseVersion(true)).toBe(NEWEST_VERSION);
  for (const text of ['', '9', '2520', 'cloud', String(OLDEST_VERSION - 1), String(NEWEST_VERSION + 1)]) {
    expect(() => parseVersion(text)).toThrow(/not a systemd version/);
  }
});

test('every version answers on any graph without throwing', () => {
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
