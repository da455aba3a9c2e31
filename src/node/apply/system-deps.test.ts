import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { ownNode } from '../api/own-node.ts';
import { nodeHooks } from '../daemon/node-hooks.ts';
import { systemDeps, systemProbes } from './system-deps.ts';

const SHOWN = `LoadState=loaded
ActiveState=active
Type=simple
Result=success
NRestarts=2
ExecMainStartTimestampMonotonic=1

LoadState=loaded
ActiveState=activating
NRestarts=3

LoadState=loaded
ActiveState=failed
NRestarts=5

LoadState=loaded
ActiveState=inactive
Type=oneshot
Result=success
ExecMainStartTimestampMonotonic=7

LoadState=loaded
ActiveState=inactive
Type=oneshot
Result=success
ExecMainStartTimestampMonotonic=0

LoadState=not-found
ActiveState=inactive
`;

function probes(over: Partial<Parameters<typeof systemProbes>[0]> = {}) {
  const asked: Argv[] = [];
  const run = async (argv: Argv): Promise<CommandResult> => {
    asked.push(argv);
    return { outcome: 'exited', code: 0, stdout: Buffer.from(SHOWN), stderr: '' };
  };
  const node = async () => ({ isReachable: true, isReady: true, heartbeatMs: 1 }) as const;
  return { asked, probes: systemProbes({ root: '/nowhere', run, node, ...over }) };
}

describe('systemDeps', () => {
  it('have the VM id on a clone', () => {
    const root = mkdtempSync(join(tmpdir(), 'hs-'));
    const clock = fakeClock();
    const node = ownNode({ credential: async () => ({ why: 'none' }) });
    const hooks = nodeHooks({ node, clock, hasCredential: () => false, hasJoined: () => false });
    const run = () => Promise.reject(new Error('nothing is run'));
    const vmId = () => systemDeps({ root, run, clock, node: hooks }).vmId;
    expect(vmId()).toBeUndefined();
    mkdirSync(join(root, 'var/lib/headstart/clone-check'), { recursive: true });
    writeFileSync(join(root, 'var/lib/headstart/clone-check/result'), 'mode=check\nvm-id=an-id\nssh-keys=ok\n');
    expect(vmId()).toBe('an-id');
    rmSync(root, { recursive: true });
  });
});

describe('probes', () => {
  it('query systemd once for all units', async () => {
    const { asked, probes: ours } = probes();
    const units = await ours.units(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(asked).toHaveLength(1);
    expect([...units.values()].map(({ state, restarts }) => `${state} ${restarts}`)).toEqual([
      'active 2',
      'starting 3',
      'failed 5',
      'done 0',
      'inactive 0',
      'absent 0',
      'absent 0',
    ]);
    expect(await ours.units([])).toEqual(new Map());
    expect(asked).toHaveLength(1);
  });

  it('report a failing API server as unreachable', async () => {
    const { probes: ours } = probes({ node: () => Promise.reject(new Error('no')) });
    expect(await ours.node()).toEqual({ isReachable: false });
  });

  it('report whether containerd accepts a connection', async () => {
    const root = mkdtempSync(join(tmpdir(), 'hs-'));
    const { probes: ours } = probes({ root });
    expect(await ours.runtimeAnswers()).toBe(false);
    mkdirSync(join(root, 'run/containerd'), { recursive: true });
    const server = createSocket();
    await new Promise<void>((resolve) => server.listen(join(root, 'run/containerd/containerd.sock'), resolve));
    expect(await ours.runtimeAnswers()).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    rmSync(root, { recursive: true });
  });

  it.each([200, 500])('interpret status %d of kubelet', async (status) => {
    const server = createServer((_request, response) => response.writeHead(status).end('x'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await probes().probes.kubeletHealthz(port)).toBe(status === 200);
    await new Promise((resolve) => server.close(resolve));
    expect(await probes().probes.kubeletHealthz(port)).toBe(false);
  });
});
