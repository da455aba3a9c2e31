import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJoinLog, readJoinLog } from './join-log.ts';
import { JOIN_EVENTS, type JoinEvent } from './kubernetes/join-events.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'join-log-'));
  path = join(folder, 'cluster-events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const EVENT: JoinEvent = { atMs: 1_000.5, event: 'node-ready', name: 'pool-000001', uid: 'u' };

describe('the join log of a node', () => {
  it('is read back unchanged, and only its owner can read it', () => {
    const anyEvent = fc.record(
      {
        atMs: fc.double({ min: 1, max: 1e13, noNaN: true }),
        errorMs: fc.nat(),
        event: fc.constantFrom(...JOIN_EVENTS),
        name: fc.string({ unit: 'binary' }),
        uid: fc.string(),
        detail: fc.string({ unit: 'binary' }),
      },
      { requiredKeys: ['atMs', 'event', 'name'] },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(anyEvent, { maxLength: 5, selector: ({ event, name, uid }) => `${event} ${name} ${uid}` }),
        (events) => {
          rmSync(path, { force: true });
          const append = openJoinLog(path, 0);
          for (const event of events) expect(append(event)).toBe(true);
          expect(JSON.stringify(readJoinLog(path))).toBe(JSON.stringify(events.map(inOrder)));
        },
      ),
      { numRuns: 10 },
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('drops events of earlier starts and keeps events of the same start', () => {
    openJoinLog(path, 1_000)(EVENT);
    expect(openJoinLog(path, 1_000)({ ...EVENT, atMs: 1_700, errorMs: 300 })).toBe(true);
    expect(readJoinLog(path)).toEqual([EVENT]);
    openJoinLog(path, 1_001);
    expect(readJoinLog(path)).toEqual([]);
  });

  it('continues after a torn line', () => {
    const append = openJoinLog(path, 0);
    appendFileSync(path, '{"atMs":1,"ev');
    append(EVENT);
    expect(readJoinLog(path)).toEqual([EVENT]);
  });

  it('stays within its limit, and reads a larger file only up to it', () => {
    const append = openJoinLog(path, 0);
    const large = { ...EVENT, detail: 'x'.repeat(300_000) };
    expect(['a', 'b', 'c', 'd'].map((uid) => append({ ...large, uid }))).toEqual([true, true, true, false]);
    expect(readJoinLog(path)).toHaveLength(3);
    writeFileSync(path, `${JSON.stringify(EVENT)}\n`.repeat(100_000));
    expect(readJoinLog(path).length).toBeLessThan(20_000);
  });

  it('does not follow links, and skips other lines', () => {
    const other = join(folder, 'other');
    writeFileSync(other, `${JSON.stringify(EVENT)}\n`);
    symlinkSync(other, path);
    expect(() => readJoinLog(path)).toThrow(/ELOOP/);
    openJoinLog(path, 0)({ ...EVENT, atMs: 2 });
    expect(readFileSync(other, 'utf8')).toBe(`${JSON.stringify(EVENT)}\n`);
    expect(readJoinLog(path)).toHaveLength(1);
    writeFileSync(
      path,
      'null\n1\n{"atMs":1,"event":"other","name":"x"}\n{"atMs":"1","event":"node-ready","name":"x"}\n',
    );
    expect(readJoinLog(path)).toEqual([]);
    expect(readJoinLog(join(folder, 'none'))).toEqual([]);
    expect(readJoinLog(folder)).toEqual([]);
  });
});

const inOrder = ({ atMs, errorMs, event, name, uid, detail }: JoinEvent) => ({
  atMs,
  errorMs,
  event,
  name,
  uid,
  detail,
});
