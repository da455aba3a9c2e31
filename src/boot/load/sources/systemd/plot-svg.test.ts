import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIXTURES, recordedBoot } from '../../../compat/systemd/testing.ts';
import { memoryInput } from '../../input.ts';
import { plotJsonSource } from './plot-json.ts';
import { plotSvgSource } from './plot-svg.ts';
import { parseTooltip } from './plot-tooltip.ts';

const REAL = readFileSync(join(FIXTURES, 'models/initrd/expected.plot.svg'), 'utf8');
const parse = (svg: string) => plotSvgSource.parse(memoryInput('plot.svg', svg))[0];

test('a picture drawn by the real v252 is read back to the stamps it was drawn from', () => {
  const found = parse(REAL)!;
  const { units, manager } = recordedBoot('models/initrd');
  expect(Math.abs(found.manager!.finishUs - manager!.finishUs)).toBeLessThanOrEqual(10);
  expect(found.units!.find((unit) => unit.aliases?.includes('default.target'))?.name).toBe('graphical.target');
  expect(found.host).toEqual({ systemdVersion: '252.39-1~deb12u2' });
  for (const unit of found.units!) {
    const real = units.find((other) => other.name === unit.name)!;
    expect(Math.abs(unit.activatingUs - real.activatingUs)).toBeLessThanOrEqual(10);
    expect(Math.abs(unit.activatedUs - real.activatedUs)).toBeLessThanOrEqual(10);
  }
});

test('edge case 41: the fraction of a tooltip is a number of microseconds, not decimals', () => {
  expect(
    parseTooltip(['a.service:', 'Activating: 12.045', 'Activated: 12.123456', '', 'After:', '  b.target', '  c.slice']),
  ).toEqual({
    activatingUs: 12_000_045,
    activatedUs: 12_123_456,
    edges: { after: ['b.target', 'c.slice'] },
  });
});

test('a picture that is cut off gives the rows before the cut and says where it ends', () => {
  const found = parse(REAL.slice(0, REAL.indexOf('u13-agent.service')))!;
  expect(found.units!.map((unit) => unit.name)).toEqual(['u09-net.mount', 'u04-agent.service']);
  expect(found.notes[0]!.text).toMatch(/line \d+ is the last of a file that is cut off/);
});

test('edge case 40: rows of plot --json are read one by one, so a broken one or a cut costs only itself', () => {
  const row = (name: string) =>
    `{"name":"${name}","activated":5,"activating":3,"time":2,"deactivated":9,"deactivating":9}`;
  const read = (json: string) => plotJsonSource.parse(memoryInput('plot.json', json))[0]!;
  const found = read(`[${row('a.service')},{"name":7},${row('b.service')},{"name":"c`);
  expect(found.units!.map((unit) => unit.name)).toEqual(['a.service', 'b.service']);
  expect(found.notes).toHaveLength(2);
  expect(read(`[${row('a.service')}]\n\n1 Units listed.\n`).notes).toEqual([]);
});

test('any bytes are read as a picture or as rows without throwing', () => {
  const pieces = fc.constantFrom(
    '<title>',
    '</title>',
    '<rect class="activating" x="1" y="2" width="3"',
    '<text class="left" x="1" y="2">',
    '</text>',
    '\n',
    '[{"name":"a","activated":',
    '}',
    'x',
  );
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(content, (bytes) => {
      const input = memoryInput('x', bytes);
      for (const source of [plotSvgSource, plotJsonSource]) {
        source.recognise(input);
        source.parse(input);
      }
    }),
  );
});
