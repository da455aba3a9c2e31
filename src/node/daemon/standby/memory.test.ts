import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STANDBY_PATH, standbyMemory } from './memory.ts';

let root: string;
let logged: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hs-'));
  mkdirSync(dirname(join(root, STANDBY_PATH)), { recursive: true });
  logged = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const memory = (bootId = 'boot-1', skewMs = 0) =>
  standbyMemory({ root, bootId, skewMs: () => skewMs, log: (_priority, message) => logged.push(message) });
const AT = Date.UTC(2026, 10, 18);

describe('the saved standby', () => {
  it('survives a reboot, with its start on the wall clock, and says that the machine was started since', () => {
    memory('boot-1', 5000).save({ where: 'pool', sinceMs: AT });
    expect(memory('boot-1', 5000).load()).toEqual({ where: 'pool', sinceMs: AT, isWoken: false });
    expect(memory('boot-2', 0).load()).toEqual({ where: 'pool', sinceMs: AT + 5000, isWoken: true });
    expect(statSync(join(root, STANDBY_PATH)).mode & 0o777).toBe(0o600);
  });

  it('is gone after the join, and removing it twice does no harm', () => {
    memory().save({ where: 'parked', sinceMs: AT });
    memory().save(undefined);
    memory().save(undefined);
    expect([memory().load(), logged]).toEqual([undefined, []]);
  });

  it.each(['', '{', '[]', '{"since": 7}', '{"since": "x", "where": {}}'])(
    'counts as standby if it is damaged: %s',
    (text) => {
      writeFileSync(join(root, STANDBY_PATH), text);
      expect(memory().load()).toMatchObject({ where: 'pool', isWoken: true, sinceMs: expect.any(Number) });
    },
  );

  it('counts as standby if it is not a plain file', () => {
    symlinkSync('/etc/passwd', join(root, STANDBY_PATH));
    expect(memory().load()).toMatchObject({ where: 'pool' });
  });

  it('reports that it could not be saved, and does not stop the daemon', () => {
    rmSync(dirname(join(root, STANDBY_PATH)), { recursive: true });
    writeFileSync(dirname(join(root, STANDBY_PATH)), '');
    memory().save({ where: 'pool', sinceMs: AT });
    expect(logged).toEqual([expect.stringContaining('could not save that the instance is in standby')]);
  });
});
