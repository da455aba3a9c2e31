import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkServerHealth, healthOf } from './health.ts';

describe('healthOf', () => {
  it('is healthy only with status 200, with any text', () => {
    expect(healthOf(200, '[-]etcd failed')).toEqual({ isHealthy: true });
    expect(healthOf(204, 'ok').isHealthy).toBe(false);
  });

  it('names at most five failed checks and no passed one', () => {
    const text = ['[+]ping ok', ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `[-]${name} failed: reason withheld`)];
    expect(healthOf(500, text.join('\n'))).toEqual({ isHealthy: false, why: 'answers 500 (a, b, c, d, e)' });
    expect(healthOf(403, 'Forbidden')).toEqual({ isHealthy: false, why: 'answers 403' });
  });
});

describe('checkServerHealth', () => {
  it('works over a socket in a folder with a long path', async () => {
    const folder = mkdtempSync(join(tmpdir(), `headstart-${'long-'.repeat(30)}`));
    const server = createServer((request, answer) => answer.writeHead(request.url === '/healthz' ? 200 : 404).end());
    const cwd = process.cwd();
    process.chdir(folder);
    await new Promise<void>((done) => server.listen('s', done));
    process.chdir(cwd);
    try {
      expect(await checkServerHealth({ folder, socket: 's' })).toEqual({ isHealthy: true });
    } finally {
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true });
    }
  });

  it('reports a server that does not exist as unhealthy, with the reason', async () => {
    expect(await checkServerHealth({ url: 'https://127.0.0.1:1/healthz', ca: '' })).toEqual({
      isHealthy: false,
      why: 'does not answer (ECONNREFUSED)',
    });
  });
});
