import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendHealth, parseHealth } from './health.ts';

let folder: string;
let health: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-health-'));
  health = join(folder, 'health.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ready = (atMs: number) => ({ atMs, state: 'Ready' as const });

describe('appendHealth', () => {
  it('keeps reports in order, in a private file', () => {
    expect([appendHealth(health, ready(1)), appendHealth(health, ready(2))]).toEqual([true, true]);
    expect(parseHealth(readFileSync(health, 'utf8'))).toEqual([ready(1), ready(2)]);
    expect(statSync(health).mode & 0o777).toBe(0o600);
  });

  it('writes a report after a truncated one on a new line', () => {
    writeFileSync(health, '{"atMs":1,"state":"Ready"}\n{"atMs":2,"st');
    expect(appendHealth(health, ready(3))).toBe(true);
    expect(parseHealth(readFileSync(health, 'utf8')).map(({ atMs }) => atMs)).toEqual([1, 3]);
  });

  it('writes nothing to a full file', () => {
    writeFileSync(health, 'x'.repeat(1024 * 1024 + 1));
    expect(appendHealth(health, ready(1))).toBe(false);
    expect(statSync(health).size).toBe(1024 * 1024 + 1);
  });

  it('does not follow a link', () => {
    symlinkSync(join(folder, 'elsewhere'), health);
    expect(() => appendHealth(health, ready(1))).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
});

describe('parseHealth', () => {
  it('skips lines that are not reports', () => {
    expect(parseHealth('\nnull\n{}\n[]\n7\n{"atMs":1,"state":"NotReady"}')).toEqual([{ atMs: 1, state: 'NotReady' }]);
  });
});
