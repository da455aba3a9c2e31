import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkServerHealth } from '../../cluster/local/health.ts';
import { type Lab, makeLab } from '../../vms/qemu/testing.ts';
import { openPlane } from '../compose/open-plane.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeLab();
});
afterEach(() => lab.end());

describe('the egress program', { timeout: 120_000 }, () => {
  const start = (folder: string) => {
    const { plane } = openPlane({ env: {} } as Parameters<typeof openPlane>[0]);
    const [node, ...args] = plane.egressCommand({ home: lab.context.home, name: 'lab' });
    return spawn(node, args, { cwd: folder, stdio: 'ignore', env: {} });
  };

  it('listens in its working folder, and ends on SIGTERM', async () => {
    const folder = lab.context.home;
    const program = start(folder);
    const ended = new Promise((resolve) => program.once('exit', (...how) => resolve(how)));
    await vi.waitFor(
      async () => expect(await checkServerHealth({ folder, socket: 'egress.sock' })).toEqual({ isHealthy: true }),
      { timeout: 60_000 },
    );
    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('fails if it cannot listen', async () => {
    mkdirSync(join(lab.context.home, 'egress.sock'));
    const program = start(lab.context.home);
    expect(await new Promise((resolve) => program.once('exit', resolve))).toBe(1);
  });
});
