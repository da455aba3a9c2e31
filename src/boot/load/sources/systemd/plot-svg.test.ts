import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES, recordedBoot } from '../../../compat/systemd/testing.ts';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { plotSvgSource } from './plot-svg.ts';

const REAL = readFileSync(join(FIXTURES, 'models/initrd/expected.plot.svg'), 'utf8');
const parse = (svg: string) => plotSvgSource.parse(memoryInput('plot.svg', svg))[0];

test('reads back the stamps of a plot drawn by systemd-analyze v252', () => {
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

test('reads the rows before the cut of a truncated plot, and warns where it ends', () => {
  const found = parse(REAL.slice(0, REAL.indexOf('u13-agent.service')))!;
  expect(found.units!.map((unit) => unit.name)).toEqual(['u09-net.mount', 'u04-agent.service']);
  expect(found.notes[0]!.text).toMatch(/line \d+ is the last of a truncated file/);
});

sourceSuite(plotSvgSource, REAL);
