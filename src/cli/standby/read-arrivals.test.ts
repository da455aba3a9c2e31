import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readArrivals } from './read-arrivals.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-arrivals-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, two] = ['2026-11-16T02:00:00Z', '2026-11-16T02:01:00Z'];
const atMs = [Date.parse(one), Date.parse(two), Date.parse(two)];
const read = (text: string) => {
  const path = join(folder, 'arrivals');
  writeFileSync(path, text);
  return readArrivals(path);
};

describe('readArrivals', () => {
  it.each([
    ['lines', `# two\n${one}\n${two}\n\n${two}\n`],
    ['CSV', `# comment\ntime,count\r\n${one},1\r\n${two},2\r\n`],
    ['JSON lines', `{"time":"${one}"}\n{"time":"${two}","count":2}\n`],
    ['a JSON list', `[\n"${one}", {"time": "${two}", "count": 2}]`],
    ['a JSON object', `{"arrivals": ["${one}", "${two}", "${two}"]}`],
  ])('reads %s', async (_, text) => {
    expect((await read(text)).atMs).toEqual(atMs);
  });

  it('reads an empty file as no arrivals', async () => {
    expect((await read('')).atMs).toEqual([]);
  });

  it.each([
    [`${one}\nsoon\n`, /arrivals:2: expected a time/],
    [`[\n"${one}",\n`, /is not valid JSON/],
    [`["${one}", 5]`, /arrivals: \[1\]: expected a time/],
  ])('names the place of the problem in %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('reports a file that does not exist', async () => {
    await expect(readArrivals(join(folder, 'nosuch'))).rejects.toThrow(/cannot read .*nosuch/);
  });
});
