import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOKEN, useCluster } from './testing.ts';

const world = useCluster();
const { call } = world;

describe('cluster token', () => {
  it('prints a token that expires, or writes a private bootstrap kubeconfig for guests', async () => {
    await call('up');
    expect((await call('token')).stdout).toBe(`${TOKEN}\n`);
    expect(JSON.parse((await call('token', ['--json', '--ttl', '10min'])).stdout)).toMatchObject({
      kind: 'ClusterToken',
      id: 'abcdef',
      token: TOKEN,
      expiresMs: world.plane.clock.nowMs() + 600_000,
    });
    const file = join(world.home, 'bootstrap');
    const ran = await call('token', ['-o', file]);
    expect(ran.stdout).toBe(`${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      clusters: [{ cluster: { server: 'https://168.0.0.10:6443' } }],
      users: [{ user: { token: TOKEN } }],
    });
  });

  it('creates no token with --dry-run, without a cluster, or if the file cannot be written', async () => {
    expect((await call('token')).stderr).toContain('code:  cluster/none');
    await call('up');
    expect((await call('token', ['--dry-run', '-o', 'x'])).stdout).toMatch(
      /^would create a token .* for 1h\nwould write \//,
    );
    expect(world.tokens).toBe(0);
    expect((await call('token', ['--ttl', 'soon'])).code).toBe(2);
    const ran = await call('token', ['-o', join(world.home, 'no', 'folder')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  cluster/unwritable');
    expect(ran.stderr).not.toContain(TOKEN);
    expect(world.tokens).toBe(0);
  });
});
