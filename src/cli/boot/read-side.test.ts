import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../boot/testing.ts';
import { testDeps } from '../testing.ts';
import { readSide } from './read-side.ts';

const folder = mkdtempSync(join(tmpdir(), 'side-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, more: object) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(bootRecord({ manager: managerTimes(), ...more })));
  return path;
};

it('takes two files as two boots, even without boot ids', async () => {
  const paths = [write('a.json', {}), write('b.json', {})];
  expect(await readSide(paths, testDeps({}).deps)).toHaveLength(2);
});

it('leaves out boots without units if others have them, and says so', async () => {
  const paths = [write('a.json', {}), write('b.json', { units: [unit('a.service', 3, 1)] })];
  const { deps, ran } = testDeps({});
  expect(await readSide(paths, deps)).toHaveLength(1);
  expect(ran.stderr).toContain('1 of 2 boots have no unit times and are left out');
});
