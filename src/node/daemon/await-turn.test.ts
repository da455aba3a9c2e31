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

describe('the turn of a daemon', () => {
  it.each(['no file is named', 'the file is there'])(
    'has come where %s, and nothing else is done first',
    async (why) => {
      const named = why === 'the file is there' ? file : undefined;
      if (named) writeFileSync(named, '');
      let isDone = false;
      const meanwhile = async () => {
        isDone = true;
      };
      await awaitTurn({ file: named, clock: never, signal, meanwhile, onLong });
      expect(isDone).toBe(false);
    },
  );

  it('comes with the file, however late; until then it does what it can', async () => {
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

  it('that is long in coming is told of, once', async () => {
    let [told, sleptMs] = [0, 0];
    const clock: Clock = {
      nowMs: () => 0,
      async sleep(ms) {
        sleptMs += ms;
        if (sleptMs >= 200_000) writeFileSync(file, '');
      },
    };
    await awaitTurn({ file, clock, signal, meanwhile: async () => {}, onLong: () => (told += 1) });
    expect(told).toBe(1);
  });

  it('never comes to one that is told to end', async () => {
    const stopping = new AbortController();
    stopping.abort(new Error('told to end'));
    const clock: Clock = { nowMs: () => 0, sleep: async (_, ending) => ending?.throwIfAborted() };
    const turn = awaitTurn({ file, clock, signal: stopping.signal, meanwhile: async () => {}, onLong });
    await expect(turn).rejects.toThrow('told to end');
  });
});
