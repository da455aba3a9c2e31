import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { awaitTurn } from './await-turn.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-turn-'));
  file = join(folder, 'may-begin');
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();
const onLong = () => {
  throw new Error('not long');
};
const never: Clock = { nowMs: () => 0, sleep: () => Promise.reject(new Error('waited')) };

describe('awaitTurn', () => {
  it.each(['no file is given', 'the file exists'])('returns immediately if %s', async (why) => {
    const named = why === 'the file exists' ? file : undefined;
    if (named) writeFileSync(named, '');
    let isDone = false;
    const meanwhile = async () => {
      isDone = true;
    };
    await awaitTurn({ file: named, clock: never, signal, meanwhile, onLong });
    expect(isDone).toBe(false);
  });

  it('waits for the file and runs `meanwhile` first', async () => {
    const story: string[] = [];
    let sleeps = 0;
    const clock: Clock = {
      nowMs: () => 0,
      async sleep() {
        story.push('slept');
        if (++sleeps === 3) writeFileSync(file, '');
      },
    };
    const meanwhile = async () => {
      story.push(`meanwhile, ${existsSync(file) ? 'late' : 'early'}`);
    };
    await awaitTurn({ file, clock, signal, meanwhile, onLong });
    expect(story).toEqual(['meanwhile, early', 'slept', 'slept', 'slept']);
  });

  it('reports a long wait once', async () => {
    let [reports, sleptMs] = [0, 0];
    const clock: Clock = {
      nowMs: () => 0,
      async sleep(ms) {
        sleptMs += ms;
        if (sleptMs >= 200_000) writeFileSync(file, '');
      },
    };
    await awaitTurn({ file, clock, signal, meanwhile: async () => {}, onLong: () => (reports += 1) });
    expect(reports).toBe(1);
  });

  it('rejects when it is aborted', async () => {
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    const clock: Clock = { nowMs: () => 0, sleep: async (_, ending) => ending?.throwIfAborted() };
    const turn = awaitTurn({ file, clock, signal: stopping.signal, meanwhile: async () => {}, onLong });
    await expect(turn).rejects.toThrow('stopped');
  });
});
