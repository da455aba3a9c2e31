import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryInput } from '../../load/input.ts';
import { plotJsonSource } from '../../load/sources/systemd/plot-json.ts';
import { plotSvgSource } from '../../load/sources/systemd/plot-svg.ts';
import { compatPlot } from './exact/plot.ts';
import { renderPlot } from './plot.ts';
import { anyBoot, boot, recordedBoot, unit } from './testing.ts';
import { behaviourOf } from './versions.ts';

const SVG = { format: 'svg', hasLegend: true, scale: 1, isDetailed: false } as const;
const read = (svg: string) => plotSvgSource.parse(memoryInput('plot.svg', svg))[0]!;

test.each([
  ['models/initrd', 252],
  ['models/r00', 252],
  ['models/m1-handmade', 255],
  ['systemd/firmware-initrd', 257],
])('reads back the plot of %s drawn as v%i with the same times to 10 µs', (folder, version) => {
  const record = recordedBoot(folder);
  const behaviour = behaviourOf(version);
  const found = read(compatPlot(record, behaviour, SVG).stdout);
  const near = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThanOrEqual(10);
  const { userspaceUs, finishUs, initrdUs, firmwareUs, loaderUs } = record.manager!;
  near(found.manager!.userspaceUs, userspaceUs);
  near(found.manager!.finishUs, finishUs);
  near(found.manager!.initrdUs, initrdUs);
  near(found.manager!.firmwareUs, firmwareUs);
  near(found.manager!.loaderUs, loaderUs);
  const started = record.units.filter((u) => u.activatingUs > 0 && u.activatingUs <= finishUs);
  expect(found.units!.map((u) => u.name).sort()).toEqual(started.map((u) => u.name).sort());
  for (const drawn of found.units!) {
    const real = started.find((u) => u.name === drawn.name)!;
    near(drawn.activatingUs, real.activatingUs);
    if (real.activatedUs >= real.activatingUs && real.activatedUs < finishUs - 20)
      near(drawn.activatedUs, real.activatedUs);
    if (behaviour.hasTooltips) expect(drawn.after).toEqual(real.after);
  }
});

test('escapes names, labels waits, and draws an unfinished boot', () => {
  const record = boot(
    [unit('</text><script>.service', 3, 5), unit('x-wait-online.service', 3, 9, { after: ['a&b.target'] })],
    { finishUs: 0 },
  );
  const svg = renderPlot(record);
  expect(svg).not.toContain('<script>');
  expect(svg).toContain('x-wait-online.service (6s) [wait: network: until it is online]</text>');
  expect(svg).toContain('  a&amp;b.target\n');
  expect(read(svg).units!.find((u) => u.name === 'x-wait-online.service')!.after).toEqual(['a&b.target']);
});

test('draws a container from its own start, not from the start of its host', () => {
  const days = 30 * 86_400e6;
  const manager = { userspaceUs: days, finishUs: days + 9e6, securityStartUs: 0, generatorsStartUs: days + 1 };
  const svg = renderPlot(boot([unit('a.service', days / 1e6 + 1, days / 1e6 + 2)], manager));
  expect(svg).toContain('<rect class="activating" x="100.000"');
});

test('edge case 40: reads back plot --json with a trailing legend', () => {
  const record = recordedBoot('models/initrd');
  const json = compatPlot(record, behaviourOf(257), { ...SVG, format: 'json-short' }).stdout;
  expect(json).toContain('Units listed.');
  const units = plotJsonSource.parse(memoryInput('plot.json', json))[0]!.units!;
  for (const u of record.units.filter((x) => x.activatedUs > 0)) {
    expect(units.find((found) => found.name === u.name)).toMatchObject({
      activatingUs: u.activatingUs,
      activatedUs: u.activatedUs,
    });
  }
});

test('draws any boot and reads the plot back without throwing', () => {
  fc.assert(
    fc.property(anyBoot, (record) => {
      const svg = renderPlot(record);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      plotSvgSource.parse(memoryInput('plot.svg', svg));
    }),
    { numRuns: 60 },
  );
});
