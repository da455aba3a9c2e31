import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { poolCreate } from './create.ts';
import { SECRET, usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool create', () => {
  it('creates a pool from the newest base image and waits until its instances are up', async () => {
    const ran = await create(
      'p',
      '--count',
      '2',
      '--custom-data',
      join(world.folder, 'data'),
      '--ready-unit',
      'agent.service',
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('p\n  image       headstart/debian-12/2026.11.15\n');
    expect(ran.stdout).toContain('agent.service is active');
    expect(ran.stdout.match(/^p-\d{6} +running +yes +1min +168\.0\.0\.15 +40022/gm)).toHaveLength(2);
    expect(ran.stderr).toMatch(/waiting for p-\d+ \(cloud-init to finish\), p-\d+/);
    expect(world.pools.specs.get('p')).toMatchObject({
      image: { kind: 'version', id: 'galleries/headstart/debian-12/2026.11.15' },
      customData: Buffer.from(`#cloud-config\n# ${SECRET}\n`).toString('base64'),
      size: { cpus: 2, memoryMb: 1024, diskGb: 8 },
      readyUnit: 'agent.service',
    });
  });

  it('prints JSON lines, the pool last', async () => {
    const ran = await create(
      'p',
      '--json',
      '--service',
      '168.0.0.100:80=127.0.0.1:8080',
      '--user-data',
      join(world.folder, 'data'),
    );
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual([...Array(lines.length - 1).fill('PoolEvent'), 'Pool']);
    expect(lines.at(-1)).toMatchObject({
      name: 'p',
      hasUserData: true,
      services: [{ port: 80 }],
      instances: [{ isUp: true }],
    });
    expect(ran.stderr).toBe('');
  });

  it('only prints what it would create with --dry-run', async () => {
    const ran = await create('p', '--count', '3', '--dry-run', '--image', 'debian-12/');
    expect(ran.code).toBe(2);
    expect((await create('p', '--count', '3', '--dry-run')).stdout).toContain('would create and start 3 instances');
    expect(world.pools.state.pools.size).toBe(0);
  });

  it.each([
    [['p', '--image', 'debian-13'], 'pool/no-image', '`headstart pool base --suite trixie`'],
    [['P1'], 'pool/bad-name', ''],
    [['p', '--custom-data', '/nowhere'], 'pool/unreadable', '--custom-data'],
  ])('refuses %j with %s', async (argv, code, said) => {
    const ran = await create(...argv);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(`code:  ${code}`);
    expect(ran.stderr).toContain(said);
    expect(world.pools.state.pools.size).toBe(0);
  });

  it('does not change an existing pool', async () => {
    await create('p');
    const ran = await create('p', '--count', '5');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('code:  pool/exists');
    expect(names()).toHaveLength(1);
  });

  it('says after an interrupt what was created and how to continue', async () => {
    const ran = await call(poolCreate(open), ['p', '--count', '2'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('headstart pool scale p 2');
    expect(ran.stderr).toContain('code:  pool/interrupted');
  });

  it('reports why an instance did not come up, and how many others did not', async () => {
    world.pools.trouble = new UserError('p-000001 is not up after 15min', { code: 'vms/not-up', exitCode: 1 });
    const ran = await create('p', '--count', '3');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('(and 2 more of the 3 did not come up)');
    expect((await create('q', '--no-wait')).code).toBe(0);
  });
});
