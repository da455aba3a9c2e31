import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../base/clock.ts';
import { consoleLines, followConsole } from './console.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-console-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each poll of the follower runs one write; after the last write the follower is aborted. */
async function follow(path: string, from: number, turns: (() => void)[]): Promise<string[]> {
  const messages: string[] = [];
  const controller = new AbortController();
  const clock: Clock = {
    nowMs: () => 0,
    sleep: async () => {
      const turn = turns.shift();
      if (turn) turn();
      else controller.abort();
    },
  };
  await followConsole(path, from, { print: (line) => messages.push(line), clock, signal: controller.signal });
  return messages;
}

describe('following a console', () => {
  it('prints each line once, even when it arrives in pieces that split a character', async () => {
    const path = join(folder, 'pieces');
    writeFileSync(path, 'before\n');
    const { endsAt } = consoleLines(path, 10);
    const bytes = Buffer.from('grün\n');
    const messages = await follow(path, endsAt, [
      () => appendFileSync(path, bytes.subarray(0, 3)),
      () => appendFileSync(path, bytes.subarray(3)),
      () => appendFileSync(path, 'next\nand'),
      () => undefined,
    ]);
    expect(messages).toEqual(['grün', 'next', 'and']);
  });

  it('prints a prompt without a line break, and starts over when the file is new', async () => {
    const path = join(folder, 'prompt');
    writeFileSync(path, '');
    const messages = await follow(path, 0, [
      () => appendFileSync(path, 'p-000001 login: '),
      () => undefined,
      () => writeFileSync(path, 'again\n'),
    ]);
    expect(messages).toEqual(['p-000001 login: ', 'again']);
  });

  it('waits for a console log that does not exist yet', async () => {
    const path = join(folder, 'later');
    expect(consoleLines(path, 10)).toEqual({ lines: [], endsAt: 0 });
    expect(await follow(path, 0, [() => writeFileSync(path, 'first\n')])).toEqual(['first']);
  });
});
