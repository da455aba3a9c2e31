import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askHealth, healthOf } from './health.ts';

it('a server that answers 200 is healthy, whatever it says', () => {
  expect(healthOf(200, '[-]etcd failed')).toEqual({ isHealthy: true });
});

it('a server that lists its checks is told of with those that failed, five at most', () => {
  const text = ['[+]ping ok', ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `[-]${name} failed: reason withheld`)];
  expect(healthOf(500, text.join('\n'))).toEqual({ isHealthy: false, why: 'answers 500 (a, b, c, d, e)' });
});

it('a server that says nothing is told of with its answer', () => {
  expect(healthOf(403, 'Forbidden')).toEqual({ isHealthy: false, why: 'answers 403' });
});

it('a socket that is not there does not answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-health-'));
  expect(await askHealth({ folder, socket: 'none.sock' })).toEqual({
    isHealthy: false,
    why: 'does not answer (ENOENT)',
  });
  rmSync(folder, { recursive: true });
});
