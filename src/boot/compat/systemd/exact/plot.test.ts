import { expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { behaviourOf } from '../versions.ts';
import { compatPlot, plotHost } from './plot.ts';
import { NEWEST, SVG, V252 } from './testing.ts';

test('plot --json prints a legend by default, and clips stamps to the end of the boot', () => {
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

test('plot --table aligns its columns, and prints a header only with a legend', () => {
  const record = boot([unit('a.service', 3, 5)]);
  const table = (hasLegend: boolean) => compatPlot(record, NEWEST, { ...SVG, format: 'table', hasLegend }).stdout;
  expect(table(true).split('\n')).toEqual([
    'NAME      ACTIVATED ACTIVATING TIME DEACTIVATED DEACTIVATING',
    'a.service 5s        3s         2s   1min        1min',
    '',
    '1 Units listed.',
    '',
  ]);
  expect(table(false)).toBe('a.service 5s 3s 2s 1min 1min\n');
});

test('plot --table and --json fail before v253', () => {
  const answer = compatPlot(boot([unit('a.service', 3, 5)]), V252, { ...SVG, format: 'table' });
  expect(answer).toMatchObject({ stdout: '', exitCode: 1, stderr: expect.stringContaining('252 has no plot --json') });
});

test.each([
  ['--scale-svg', { scale: 2 }],
  ['--detailed', { isDetailed: true }],
])('plot %s fails before v257', (_, asked) => {
  const plot = (version: number) =>
    compatPlot(boot([unit('a.service', 3, 5)]), behaviourOf(version), { ...SVG, ...asked });
  expect(plot(256)).toMatchObject({
    stdout: '',
    exitCode: 1,
    stderr: expect.stringContaining('256 has no plot --scale-svg or --detailed'),
  });
  expect(plot(257).exitCode).toBe(0);
});

test('plot prints nothing for a boot without units', () => {
  expect(compatPlot(boot([]), NEWEST, SVG).stdout).toBe('');
});

test('plotHost splits kernel release and build, given in one field or in two', () => {
  const build = '#1 SMP Debian';
  const expected = { kernelName: 'Linux', kernelRelease: '6.1.0', kernelVersion: build };
  expect(plotHost({ host: { kernel: `Linux 6.1.0 ${build}` } })).toMatchObject(expected);
  expect(plotHost({ host: { kernel: '6.1.0', kernelBuild: build } })).toMatchObject(expected);
  expect(plotHost({ host: {} })).toMatchObject({ os: 'Linux', kernelName: '', kernelRelease: '', hostname: '' });
});

test("plot prints the machine's systemd version if it matches the compat version", () => {
  const record = (systemdVersion: string) => ({ ...boot([unit('a.service', 3, 5)]), host: { systemdVersion } });
  const version = (text: string) => /version (\S+)/.exec(compatPlot(record(text), V252, SVG).stdout.slice(500))?.[1];
  expect(['252 (252.39-1~deb12u2)', '252.39-1', '249.1'].map(version)).toEqual(['252.39-1~deb12u2', '252.39-1', '252']);
});
