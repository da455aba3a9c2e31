import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { poolShow } from './show.ts';
import { SECRET, usePools } from './testing.ts';
import { describeSize, shortImageName } from './view.ts';

const world = usePools();
const { open, call, create } = world;

describe('renderPool', () => {
  it('shows which instances run and which are stale, also on a narrow terminal', async () => {
    await create('p', '--count', '2', '--image', 'headstart/debian-12/2026.11.14');
    const pool = world.pools.state.pools.get('pools/p')!;
    pool.model.image = { kind: 'version', id: 'galleries/headstart/debian-12/2026.11.15' };
    pool.instances[0]!.power = 'stopped';
    const shown = await call(poolShow(open), ['p']);
    expect(shown.stdout).toMatch(/stopped +no +168\.0\.0\.15 +headstart\/debian-12\/2026\.11\.14 +stale$/m);
    const narrow = await call(poolShow(open), ['p'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toMatch(
      /^p-\d{6} +stopped +no +168\.0\.0\.15\n {4}headstart\/debian-12\/2026\.11\.14 {2}stale$/m,
    );
  });

  it('never shows custom data or user data', async () => {
    await create('p', '--custom-data', join(world.folder, 'data'), '--user-data', join(world.folder, 'data'));
    for (const argv of [['p'], ['p', '--json']]) {
      const { stdout } = await call(poolShow(open), argv);
      expect(stdout).not.toContain(Buffer.from(`# ${SECRET}`).toString('base64').slice(0, 12));
    }
  });

  it('shows the cluster, the services and when an instance is up', async () => {
    await create('p', '--count', '0', '--service', '168.0.0.100:80=127.0.0.1:8080', '--ready-unit', 'agent.service');
    world.pools.specs.get('p')!.cluster = 'lab';
    const { stdout } = await call(poolShow(open), ['p']);
    expect(stdout).toContain('cluster     lab\n');
    expect(stdout).toContain('up when     agent.service is active, and its node is Ready\n');
    expect(stdout).toContain('can reach   168.0.0.100:80, which is 127.0.0.1:8080 here\n');
    expect(stdout).toMatch(/\nno instances\n$/);
  });
});

it.each([
  [undefined, 'unknown'],
  [{ kind: 'version', id: 'galleries/g/d/1.0.0' }, 'g/d/1.0.0'],
  [{ kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' }, 'p:o:s:latest'],
] as const)('shortImageName of %j is %s', (image, name) => {
  expect(shortImageName(image)).toBe(name);
});

it('describeSize uses the singular for one CPU', () => {
  expect(describeSize({ cpus: 1, memoryMb: 512, diskGb: 4 })).toBe('1 CPU, 512 MB memory, 4 GB disk');
  expect(describeSize({ cpus: 2, memoryMb: 512, diskGb: 4 })).toMatch(/^2 CPUs,/);
});
