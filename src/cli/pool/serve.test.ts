import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { callWith } from '../../local/autoscaler/testing.ts';
import { poolServe } from './serve.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create } = world;

describe('pool serve', () => {
  it('serves until a signal, then ends; a second server for the pool is refused', async () => {
    await create('p', '--count', '1');
    const stopping = new AbortController();
    const [port, env] = [await freePort(), { HEADSTART_HOME: world.folder }];
    const argv = ['--pool', 'p:0:3', '--listen', String(port), '--json'];
    const serving = call(poolServe(open), argv, { env, signal: stopping.signal });
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    await new Promise<void>((resolve, reject) =>
      client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve())),
    );
    const ask = callWith(client);
    expect((await ask('NodeGroups')).groups).toMatchObject([{ id: 'p', minSize: 0, maxSize: 3 }]);
    expect((await ask('NodeGroupTemplateNodeInfo', { id: 'p' })).node.status.capacity.cpu).toEqual({ text: '2' });
    await ask('NodeGroupIncreaseSize', { id: 'p', delta: 1 });
    const second = await call(poolServe(open), ['--listen', '0'], { env });
    expect(second.stderr).toContain('another server has pool p');
    expect(second.code).toBe(1);
    stopping.abort();
    client.close();
    const { code, stdout } = await serving;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      kind: 'AutoscalerServer',
      address: `127.0.0.1:${port}`,
      isSecure: false,
      groups: [{ name: 'p', min: 0, max: 3, size: 1 }],
    });
    expect(lines[1]).toMatchObject({ kind: 'AutoscalerEvent', event: 'step', what: 'p: 1 more requested, 2 in all' });
  });

  it('shows its groups and starts nothing with --dry-run', async () => {
    await create('p');
    const { stdout } = await call(poolServe(open), ['--dry-run']);
    expect(stdout).toBe('would listen on 127.0.0.1:8086\n  p: 1 now, from 0 to 10\n');
    const { stdout: json } = await call(poolServe(open), ['--dry-run', '--json']);
    expect(JSON.parse(json)).toMatchObject({ kind: 'AutoscalerPlan', groups: [{ name: 'p' }] });
  });

  it('needs certificates outside this machine, and all three', async () => {
    await create('p');
    const open0 = await call(poolServe(open), ['--listen', '0.0.0.0:0']);
    expect([open0.code, open0.stderr]).toEqual([2, expect.stringContaining('clients must be authenticated')]);
    const data = join(world.folder, 'data');
    const two = await call(poolServe(open), ['--cert', data, '--key', data]);
    expect(two.stderr).toContain('TLS needs --cert, --key and --client-ca');
    const missing = await call(poolServe(open), [
      '--cert',
      data,
      '--key',
      data,
      '--client-ca',
      join(world.folder, 'none'),
    ]);
    expect(missing.stderr).toContain('code:  pool/unreadable');
    const wrong = await call(poolServe(open), ['--listen', '0', '--cert', data, '--key', data, '--client-ca', data], {
      env: { HEADSTART_HOME: world.folder },
    });
    expect(wrong.stderr).toContain('code:  autoscaler/bad-certificate');
  });
});

/** Chosen by the kernel, because the verb prints its port only to its own output. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
