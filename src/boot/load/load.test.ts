import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { memoryInput } from './input.ts';
import { loadInputs, recognise } from './load.ts';

const UNITS = 'Id=a.service\nInactiveExitTimestampMonotonic=3000000\nActiveEnterTimestampMonotonic=5000000\nAfter=\n';
const CHAIN = 'graphical.target @5s\n└─a.service @3s +1s\n';

let folder: string;
const path = (name: string) => join(folder, name);
const load = (...names: string[]) =>
  loadInputs(names.map(path), { readStdin: () => new TextEncoder().encode(CHAIN), nowUs: 0 });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-load-'));
  writeFileSync(path('units'), UNITS);
  writeFileSync(path('chain'), CHAIN);
  writeFileSync(path('recipe'), 'Two eggs and a cup of flour.\n');
  for (const name of ['one', 'two', 'other']) mkdirSync(path(name));
  for (const name of ['one', 'two']) writeFileSync(path(`${name}/units`), UNITS);
  writeFileSync(path('one/recipe'), 'Two eggs and a cup of flour.\n');
  writeFileSync(path('one/bad.gz'), Buffer.from('1f8b0800ffffffff', 'hex'));
  writeFileSync(path('other/recipe'), 'Two eggs.\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('loadInputs', () => {
  it('merges loose files into one boot and makes a separate boot of each folder', async () => {
    const [loose, ...more] = await load('units', 'chain');
    expect(more).toEqual([]);
    expect(loose!.sources.map(({ kind }) => kind)).toEqual(['systemctl-units', 'analyze-critical-chain']);
    expect(await load('one', 'two')).toHaveLength(2);
  });

  it('reads an input once even if it is given twice', async () => {
    const [boot] = await load('units', 'units');
    expect(boot!.sources).toHaveLength(1);
  });

  it('skips unrelated files in a folder, and warns in every boot about files it could not open', async () => {
    const boots = await load('one', 'two');
    for (const { notes } of boots) {
      expect(notes.map(({ text }) => text)).toEqual([expect.stringMatching(/cannot unpack .*bad\.gz/)]);
    }
  });

  it('rejects an unrecognised file that was given explicitly', async () => {
    await expect(load('recipe')).rejects.toThrow(UserError);
    await expect(load('other')).rejects.toMatchObject({ code: 'boot/nothing-found' });
  });

  it('reports how many files it read when a folder has no boot', async () => {
    await expect(load('other')).rejects.toThrow(/no boot found in .*other \(1 file\)/);
  });

  it('reads standard input', async () => {
    const [boot] = await loadInputs(['-'], { readStdin: () => new TextEncoder().encode(CHAIN), nowUs: 0 });
    expect(boot!.units.map(({ name }) => name)).toEqual(['graphical.target', 'a.service']);
  });
});

describe('recognise', () => {
  it('picks the source with the highest confidence by content, and none for a packed file', () => {
    expect(recognise(memoryInput('x.svg', CHAIN))?.kind).toBe('analyze-critical-chain');
    expect(recognise(memoryInput('x', UNITS))?.kind).toBe('systemctl-units');
    expect(recognise(memoryInput('x', ''))).toBeUndefined();
    const lz4 = Buffer.concat([Buffer.from('04224d18', 'hex'), Buffer.from(CHAIN)]);
    expect(recognise(memoryInput('x', lz4))).toBeUndefined();
  });
});
