import { expect, test } from 'vitest';
import { memoryInput } from '../../load/input.ts';
import { plotSvgSource } from '../../load/sources/systemd/plot-svg.ts';
import { compatPlot } from './exact/plot.ts';
import { renderPlot } from './plot.ts';
import { boot, unit } from './testing.ts';
import { behaviourOf } from './versions.ts';

const SVG = { format: 'svg', hasLegend: true, scale: 1, isDetailed: false } as const;
const read = (svg: string) => plotSvgSource.parse(memoryInput('plot.svg', svg))[0]!;
const draw = (...args: Parameters<typeof boot>) => compatPlot(boot(...args), behaviourOf(257), SVG).stdout;

test('reads back a scaled plot by its ticks', () => {
  const record = boot([unit('a.service', 3, 5)]);
  expect(read(renderPlot(record, 0.5)).units![0]).toMatchObject({ activatingUs: 3e6, activatedUs: 5e6 });
});

test('refuses to draw a boot of centuries', () => {
  expect(() => renderPlot(boot([], { finishUs: 1e15 }))).toThrow(/too long to draw/);
});

test('draws a row for every phase of the boot', () => {
  const phases = (svg: string) =>
    [...svg.matchAll(/<text class="left"[^>]*>([a-z-]+)<\/text>/g)].map(([, name]) => name);
  const units = [unit('a.service', 3, 5)];
  expect(phases(draw(units, { firmwareUs: 5e6, loaderUs: 2e6, initrdUs: 1e6 }))).toEqual([
    'firmware',
    'loader',
    'kernel',
    'initrd',
    'systemd',
  ]);
  expect(phases(draw(units, { userspaceUs: 2e6, securityStartUs: 0, securityFinishUs: 0 }))).toEqual(['systemd']);
});

test('gives the plot the height of its rows and the legend', () => {
  const units = [unit('a.service', 3, 5)];
  expect(draw(units, { firmwareUs: 5e6, loaderUs: 2e6, initrdUs: 1e6 })).toContain(
    `height="${150 + 6 * 20 + 5 * 20}px"`,
  );
  expect(draw(units)).toContain(`height="${150 + 3 * 20 + 5 * 20}px"`);
});

test('draws the manager steps in the initrd that took time', () => {
  const svg = draw([unit('a.service', 3, 5)], {
    initrdUs: 1e6,
    initrdSecurityStartUs: 1.1e6,
    initrdSecurityFinishUs: 1.2e6,
  });
  expect(svg).toContain('<rect class="security" x="110.000" y="20.000" width="10.000"');
});

test('draws units of the initrd above the manager, and omits units that started after the boot', () => {
  const units = [unit('early.mount', 1.5, 1.6), unit('a.service', 3, 5), unit('late.service', 70, 80)];
  const labels = [...draw(units, { initrdUs: 1e6 }).matchAll(/<text class="(?:left|right)"[^>]*>([^<]+)</g)].map(
    ([, text]) => text!.split(' ')[0],
  );
  expect(labels.slice(0, 5)).toEqual(['kernel', 'initrd', 'early.mount', 'systemd', 'a.service']);
  expect(labels).not.toContain('late.service');
});

test('puts a label on the side with room for it', () => {
  const svg = draw([unit('a.service', 3, 5), unit('b.service', 50, 55)]);
  expect(svg).toMatch(/<text class="left"[^>]*>a\.service/);
  expect(svg).toMatch(/<text class="right"[^>]*>b\.service/);
});

test('prints times in a tooltip as seconds, with all six decimals except for v257 to v262', () => {
  const record = boot([unit('a.service', 12.000045, 13)]);
  const at = (version: number, point: number) => compatPlot(record, behaviourOf(version, point), SVG).stdout;
  for (const old of [at(257, 13), at(262, 0)]) expect(old).toContain('Activating: 12.045\nActivated: 13.000\n');
  for (const now of [at(262, 1), renderPlot(record)])
    expect(now).toContain('Activating: 12.000045\nActivated: 13.000000\n');
});
