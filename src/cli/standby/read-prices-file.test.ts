import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readPricesFile } from './read-prices-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string) => {
  const path = join(folder, 'prices.yaml');
  writeFileSync(path, text);
  return readPricesFile(path);
};

describe('readPricesFile', () => {
  it('reads the example', async () => {
    const example = fileURLToPath(new URL('../../../examples/standby/prices.yaml', import.meta.url));
    expect(await readPricesFile(example)).toMatchObject({ currency: 'EUR', tiers: { frozen: { diskGb: 3 } } });
  });

  it.each([
    ['currency: EUR\ntiers: {frozen: {diskGb: -1}}', 'tiers.frozen.diskGb: -1 is below 0'],
    ['currency: EUR\ntiers: {', 'prices.yaml:2: is not YAML'],
    ['currency: *missing', 'aliases'],
    ['', 'expected a map, got null'],
  ])('names the place of the problem in %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('reports a file that does not exist', async () => {
    await expect(readPricesFile(join(folder, 'nosuch'))).rejects.toThrow(/cannot read .*nosuch/);
  });
});
