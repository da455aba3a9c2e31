import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { poolSsh } from './ssh.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool ssh', () => {
  const HOST_KEYS =
    'ssh-ed25519 AAAAC3Nz= root@p\necdsa-sha2-nistp256 AAAAE2Vj comment\n* ssh-ed25519 evil\n@cert-authority x\n';

  beforeEach(async () => {
    await create('p');
    const [name] = names() as [string];
    mkdirSync(join(world.folder, 'instances', name), { recursive: true });
    writeFileSync(join(world.folder, 'id_ed25519.pub'), 'ssh-ed25519 AAAApool pool p\n');
    world.pools.guest = () => ({ stdout: Buffer.from(HOST_KEYS) });
  });

  it('connects with the key of the pool, and trusts only host keys from the guest agent', async () => {
    const [name] = names() as [string];
    const called: (readonly string[])[] = [];
    const runIt = async (argv: readonly string[]) => {
      called.push(argv);
      return 3;
    };
    expect((await call(poolSsh(open, runIt), [name, '--', 'uptime', '-p'])).code).toBe(3);
    const argv = called[0]!;
    expect(argv).toEqual(
      expect.arrayContaining(['StrictHostKeyChecking=yes', 'ForwardAgent=no', `HostKeyAlias=${name}`]),
    );
    expect(argv.slice(-5)).toEqual(['root', '--', '127.0.0.1', 'uptime', '-p']);
    const known = join(world.folder, 'instances', name, 'known_hosts');
    expect(readFileSync(known, 'utf8')).toBe(`${name} ssh-ed25519 AAAAC3Nz=\n${name} ecdsa-sha2-nistp256 AAAAE2Vj\n`);
    expect(statSync(known).mode & 0o777).toBe(0o600);
    expect(world.pools.ran[0]!.input).toContain("'ssh-ed25519 AAAApool pool p'");
  });

  it('prints the ssh command with --json', async () => {
    const [name] = names() as [string];
    const ran = await call(
      poolSsh(open, async () => expect.fail()),
      [name, '--json'],
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'PoolSsh', instance: name });
  });

  it('reports that the guest has no host key yet', async () => {
    const [name] = names() as [string];
    world.pools.guest = () => ({ exitCode: 1, stderr: Buffer.from('cat: /etc/ssh/ssh_host_*_key.pub: No such file') });
    const ran = await call(
      poolSsh(open, async () => 0),
      [name],
    );
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('code:  pool/no-ssh');
  });
});
