import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../base/clock.ts';
import { consoleLines, followConsole } from './console.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-console-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each pause of the follower is one turn of the writer; after the last the reader leaves. */
async function follow(path: string, from: number, turns: (() => void)[]): Promise<string[]> {
  const told: string[] = [];
  const controller = new AbortController();
  const clock: Clock = {
    nowMs: () => 0,
    sleep: async () => {
      const turn = turns.shift();
      if (turn) turn();
      else controller.abort();
    },
  };
  await followConsole(path, from, { tell: (line) => told.push(line), clock, signal: controller.signal });
  return told;
}

describe('following a console', () => {
  it('tells each line once, also one that comes in pieces, in the middle of a character', async () => {
    const path = join(folder, 'pieces');
    writeFileSync(path, 'before\n');
    const { endsAt } = consoleLines(path, 10);
    const bytes = Buffer.from('grün\n');
    const told = await follow(path, endsAt, [
      () => appendFileSync(path, bytes.subarray(0, 3)),
      () => appendFileSync(path, bytes.subarray(3)),
      () => appendFileSync(path, 'next\nand'),
      () => undefined,
    ]);
    expect(told).toEqual(['grün', 'next', 'and']);
  });

  it('tells a prompt that ends no line, and starts over when the file is a new one', async () => {
    const path = join(folder, 'prompt');
    writeFileSync(path, '');
    const told = await follow(path, 0, [
      () => appendFileSync(path, 'p-000001 login: '),
      () => undefined,
      () => writeFileSync(path, 'again\n'),
    ]);
    expect(told).toEqual(['p-000001 login: ', 'again']);
  });

  it('waits for a console that is not there yet', async () => {
    const path = join(folder, 'later');
    expect(consoleLines(path, 10)).toEqual({ lines: [], endsAt: 0 });
    expect(await follow(path, 0, [() => writeFileSync(path, 'first\n')])).toEqual(['first']);
  });
});
