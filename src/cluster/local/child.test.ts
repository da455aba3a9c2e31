import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startChild } from './child.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-child-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a child that runs has no failure, and ends when it is stopped, even if it is paused', async () => {
  const child = startChild('sleeper', ['sleep', '600'], join(folder, 'log'));
  expect(child.failure()).toBeUndefined();
  child.signal('SIGSTOP');
  await child.stop();
  expect(child.failure()?.message).toContain('sleeper ended with SIGTERM');
});

it('a child that ends is told of with its code and the end of its log', async () => {
  const child = startChild('server', ['sh', '-c', 'echo no such flag >&2; exit 3'], join(folder, 'log'));
  await vi.waitFor(() => expect(child.failure()).toBeDefined(), { timeout: 20_000, interval: 10 });
  expect(child.failure()).toMatchObject({
    code: 'cluster/plane-failed',
    message: expect.stringMatching(/^server ended with code 3\n[\s\S]*no such flag/),
    next: `read ${join(folder, 'log')}`,
  });
});
