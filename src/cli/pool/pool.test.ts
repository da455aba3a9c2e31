import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { type FakePools, fakePools } from '../../local/testing.ts';
import { runVerb, type TestWorld } from '../testing.ts';
import type { Verb } from '../verb.ts';
import { poolCreate } from './create.ts';
import { poolDelete } from './delete.ts';
import { poolExec } from './exec.ts';
import { poolList } from './list.ts';
import { poolLogs } from './logs.ts';
import { poolReimage } from './reimage.ts';
import { poolScale } from './scale.ts';
import { poolSet } from './set.ts';
import { poolShow } from './show.ts';
import { poolSsh } from './ssh.ts';
import { poolStart } from './start.ts';
import { poolStop } from './stop.ts';

const SECRET = 'canary-4711';

let folder: string;
let pools: FakePools;
let nowUs: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-pool-'));
  pools = fakePools(folder);
  nowUs = pools.clock.nowMs() * 1000;
  await pools.addImage('headstart', 'debian-12', '2026.11.14');
  await pools.addImage('headstart', 'debian-12', '2026.11.15');
  writeFileSync(join(folder, 'data'), `#cloud-config\n# ${SECRET}\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = async () => pools;
const ask = async (verb: Verb, argv: string[], world: TestWorld = {}) => {
  const ran = await runVerb(verb, argv, { nowUs, ...world });
  expect(ran.stdout + ran.stderr).not.toContain(SECRET);
  expect(ran.stderr).not.toContain('bug:');
  return ran;
};
const create = (...argv: string[]) => ask(poolCreate(open), argv);
const names = () => pools.state.pools.get('pools/p')!.instances.map(({ computerName }) => computerName);

describe('pool create', () => {
  it('makes a pool of the newest base image and waits until its instances are up', async () => {
    const ran = await create(
      'p',
      '--count',
      '2',
      '--custom-data',
      join(folder, 'data'),
      '--ready-unit',
      'agent.service',
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('p\n  image       headstart/debian-12/2026.11.15\n');
    expect(ran.stdout).toContain('agent.service is active');
    expect(ran.stdout.match(/^p-\d{6} +running +yes +1min +168\.0\.0\.15 +40022/gm)).toHaveLength(2);
    expect(ran.stderr).toMatch(/waiting for p-\d+ \(cloud-init to finish\), p-\d+/);
    expect(pools.specs.get('p')).toMatchObject({
      image: { kind: 'version', id: 'galleries/headstart/debian-12/2026.11.15' },
      customData: Buffer.from(`#cloud-config\n# ${SECRET}\n`).toString('base64'),
      size: { cpus: 2, memoryMb: 1024, diskGb: 8 },
      readyUnit: 'agent.service',
    });
  });

  it('tells scripts what it does line by line, the pool last', async () => {
    const ran = await create(
      'p',
      '--json',
      '--service',
      '168.0.0.100:80=127.0.0.1:8080',
      '--user-data',
      join(folder, 'data'),
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

  it('only says what it would make in a dry run', async () => {
    const ran = await create('p', '--count', '3', '--dry-run', '--image', 'debian-12/');
    expect(ran.code).toBe(2);
    expect((await create('p', '--count', '3', '--dry-run')).stdout).toContain('would make and start 3 instances');
    expect(pools.state.pools.size).toBe(0);
  });

  it.each([
    [['p', '--image', 'debian-13'], 'pool/no-image', '`headstart pool base --suite trixie`'],
    [['p', '--image', 'debian-99'], 'pool/no-image', '`headstart image list --vms qemu`'],
    [['p', '--image', 'mine/x'], 'pool/no-image', '`headstart image list --vms qemu --gallery mine`'],
    [['p', '--image', 'debian-12/2026.1.1'], 'pool/no-image', ''],
    [['p', '--image', 'headstart/debian-12/2026.1.1'], 'pool/no-image', '2026.11.14, 2026.11.15'],
    [['p', '--image', 'a/b/c/d'], 'pool/bad-image', ''],
    [['P1'], 'pool/bad-name', ''],
    [['p', '--custom-data', '/nowhere'], 'pool/unreadable', '--custom-data'],
  ])('refuses %j with %s', async (argv, code, said) => {
    const ran = await create(...argv);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(`code:  ${code}`);
    expect(ran.stderr).toContain(said);
    expect(pools.state.pools.size).toBe(0);
  });

  it('leaves a pool that is there alone', async () => {
    await create('p');
    const ran = await create('p', '--count', '5');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('code:  pool/exists');
    expect(names()).toHaveLength(1);
  });

  it('when interrupted says what there is and how to go on', async () => {
    const ran = await ask(poolCreate(open), ['p', '--count', '2'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('headstart pool scale p 2');
    expect(ran.stderr).toContain('code:  pool/interrupted');
  });

  it('shows why an instance did not come up, and how many others did not', async () => {
    pools.trouble = new UserError('p-000001 is not up after 15min', { code: 'vms/not-up', exitCode: 1 });
    const ran = await create('p', '--count', '3');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('(and 2 more of the 3 did not come up)');
    expect((await create('q', '--no-wait')).code).toBe(0);
  });
});

describe('pool list and show', () => {
  it('say that there is none, and how to get one', async () => {
    expect((await ask(poolList(open), [])).stdout).toContain('headstart pool create NAME');
    const ran = await ask(poolShow(open), ['p']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('there is no pool "p"; known: none');
    expect(ran.stderr).toContain('next:  if it is in another folder of pools, name that with --home');
  });

  it.each([
    ['pol', 'there is no pool "pol" (did you mean pool?); known: pool'],
    ['pool-000001', 'next:  headstart pool show pool lists the instances of pool pool'],
    ['', 'there is no pool ""; known: pool'],
  ])('name what there is when %j is deleted, and never a command that makes it', async (name, said) => {
    await create('pool');
    const ran = await ask(poolDelete(open), [name, '--yes']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('Nothing was changed.');
    expect(ran.stderr).not.toContain('pool create');
  });

  it('count what runs and what is stale', async () => {
    await create('p', '--count', '2', '--image', 'headstart/debian-12/2026.11.14');
    const pool = pools.state.pools.get('pools/p')!;
    pool.model.image = { kind: 'version', id: 'galleries/headstart/debian-12/2026.11.15' };
    pool.instances[0]!.power = 'stopped';
    expect((await ask(poolList(open), [])).stdout).toMatch(/^p +1\/2 +2 +headstart\/debian-12\/2026\.11\.15$/m);
    expect(JSON.parse((await ask(poolList(open), ['--json'])).stdout)).toMatchObject({
      kind: 'PoolList',
      pools: [{ stale: 2 }],
    });
    const shown = await ask(poolShow(open), ['p']);
    expect(shown.stdout).toMatch(/stopped +no +168\.0\.0\.15 +headstart\/debian-12\/2026\.11\.14 +stale$/m);
    const narrow = await ask(poolShow(open), ['p'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toMatch(
      /^p-\d{6} +stopped +no +168\.0\.0\.15\n {4}headstart\/debian-12\/2026\.11\.14 {2}stale$/m,
    );
  });

  it('never show what instances are given to run', async () => {
    await create('p', '--custom-data', join(folder, 'data'), '--user-data', join(folder, 'data'));
    for (const argv of [['p'], ['p', '--json']]) {
      const { stdout } = await ask(poolShow(open), argv);
      expect(stdout).not.toContain(Buffer.from(`# ${SECRET}`).toString('base64').slice(0, 12));
    }
  });
});

describe('pool scale', () => {
  it('makes more, deletes the newest, and is content when there is nothing to do', async () => {
    await create('p');
    const [first] = names();
    expect((await ask(poolScale(open), ['p', '3'])).stderr).toContain(
      'start 2 more from headstart/debian-12/2026.11.15',
    );
    expect((await ask(poolScale(open), ['p', '1', '--dry-run'])).stdout).toContain('would delete 2');
    expect(names()).toHaveLength(3);
    expect((await ask(poolScale(open), ['p', '1'])).code).toBe(0);
    expect(names()).toEqual([first]);
    expect((await ask(poolScale(open), ['p', '1', '--dry-run'])).stdout).toBe('nothing to do\n');
  });

  it.each(['-1', 'x', '1.5', '101'])('refuses %j instances', async (count) => {
    const ran = await ask(poolScale(open), ['p', '--', count]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  pool/bad-count');
  });
});

describe('pool set', () => {
  it('gives user data to a pool or to one instance, and takes it away', async () => {
    await create('p');
    const [first] = names() as [string];
    const set = (...argv: string[]) => ask(poolSet(open), ['p', ...argv]);
    expect((await set('--user-data', join(folder, 'data'))).stdout).toBe('p has new user data\n');
    expect(Buffer.from(pools.specs.get('p')!.userData!, 'base64').toString()).toContain(SECRET);
    await set('--user-data', join(folder, 'data'), '--instance', first, '--dry-run');
    expect(pools.userData.size).toBe(0);
    await set('--user-data', join(folder, 'data'), '--instance', first);
    expect([...pools.userData.keys()]).toEqual([first]);
    expect(JSON.parse((await set('--no-user-data', '--json')).stdout)).toMatchObject({
      kind: 'PoolSet',
      hasUserData: false,
    });
    expect(pools.specs.get('p')!.userData).toBeUndefined();
  });

  it('refuses an instance of another pool, and nothing at all', async () => {
    await create('p');
    await create('q');
    const other = pools.state.pools.get('pools/q')!.instances[0]!.computerName;
    expect((await ask(poolSet(open), ['p', '--no-user-data', '--instance', other])).stderr).toContain(
      'is not an instance of p',
    );
    expect((await ask(poolSet(open), ['p'])).code).toBe(2);
  });
});

describe('pool delete', () => {
  it('refuses without a terminal, and deletes with --yes', async () => {
    await create('p');
    expect((await ask(poolDelete(open), ['p', '--dry-run'])).stdout).toContain('would delete pool p with p-');
    const ran = await ask(poolDelete(open), ['p']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  cli/not-confirmed');
    expect(pools.state.pools.size).toBe(1);
    const saved = join(folder, 'prototype', 'headstart-recipe-p.json');
    mkdirSync(join(folder, 'prototype'));
    writeFileSync(saved, '{}');
    const gone = await ask(poolDelete(open), ['p', '--yes'], { env: { HEADSTART_HOME: folder } });
    expect(gone.stdout).toContain('pool p is gone');
    expect(pools.state.pools.size).toBe(0);
    expect(existsSync(saved)).toBe(false);
  });

  it('interrupted, names the command that finishes it', async () => {
    await create('p');
    const ran = await ask(poolDelete(open), ['p', '--yes'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('next:  headstart pool delete p --yes');
  });
});

describe('pool start, stop and reimage', () => {
  it('give one instance its order and tell how it is afterwards', async () => {
    await create('p');
    const [name] = names() as [string];
    expect((await ask(poolStop(open), [name])).stdout).toBe(`${name} is stopped\n`);
    expect((await ask(poolStart(open), [name, '--dry-run'])).stdout).toBe(`would start ${name} (it is stopped)\n`);
    expect((await ask(poolStart(open), [name])).stdout).toBe(`${name} is running and up\n`);
    expect((await ask(poolReimage(open), [name])).stderr).toContain('What is on its disk is lost');
    const ran = await ask(poolReimage(open), [name, '--yes', '--json']);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({ kind: 'PoolInstance', pool: 'p', name });
  });

  it('name what is known when the instance is not', async () => {
    await create('p');
    const ran = await ask(poolStop(open), ['p']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('that is a pool: headstart pool show p');
  });
});

describe('pool exec', () => {
  const written: Buffer[] = [];
  const streams = {
    hasInput: () => false,
    write: (_: 1 | 2, bytes: Uint8Array) => void written.push(Buffer.from(bytes)),
  };
  const run = (argv: string[], world: TestWorld = {}, hasInput = false) =>
    ask(poolExec(open, { ...streams, hasInput: () => hasInput }), argv, world);

  beforeEach(async () => {
    written.length = 0;
    await create('p');
  });

  it('passes program, arguments and exit code on, and bytes as they are', async () => {
    pools.guest = () => ({ exitCode: 7, stdout: Buffer.from([0xff, 0, 10]), stderr: Buffer.from('oh') });
    const [name] = names() as [string];
    const ran = await run([name, '--', 'ls', '-l', '--', "a b'"]);
    expect(ran.code).toBe(7);
    expect(pools.ran).toEqual([{ instance: name, argv: ['ls', '-l', '--', "a b'"], input: '' }]);
    expect(Buffer.concat(written)).toEqual(Buffer.from([0xff, 0, 10, 0x6f, 0x68]));
    const told = JSON.parse((await run([name, '--json', '--', 'ls'])).stdout) as Record<string, unknown>;
    expect(told).toMatchObject({ kind: 'PoolExec', exitCode: 7, encoding: 'base64', stdout: '/wAK' });
  });

  it('gives it what was piped in, unless told not to', async () => {
    const [name] = names() as [string];
    await run([name, '--', 'sh', '-s'], { stdin: 'echo hi' }, true);
    await run([name, '--no-stdin', '--', 'sh', '-s'], { stdin: 'echo hi' }, true);
    expect(pools.ran.map(({ input }) => input)).toEqual(['echo hi', '']);
  });

  it('says where to look when the guest does not answer', async () => {
    const [name] = names() as [string];
    pools.guest = () => new TransientError('agent.sock did not answer', { code: 'vms/not-answering' });
    const ran = await run([name, '--', 'ls']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`next:  headstart pool logs ${name}`);
  });

  it('needs an instance that runs', async () => {
    const [name] = names() as [string];
    pools.state.pools.get('pools/p')!.instances[0]!.power = 'stopped';
    const ran = await run([name, '--', 'ls']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`next:  headstart pool start ${name}`);
  });
});

describe('pool ssh', () => {
  const HOST_KEYS =
    'ssh-ed25519 AAAAC3Nz= root@p\necdsa-sha2-nistp256 AAAAE2Vj comment\n* ssh-ed25519 evil\n@cert-authority x\n';

  beforeEach(async () => {
    await create('p');
    const [name] = names() as [string];
    mkdirSync(join(folder, 'instances', name), { recursive: true });
    writeFileSync(join(folder, 'id_ed25519.pub'), 'ssh-ed25519 AAAApool pool p\n');
    pools.guest = () => ({ stdout: Buffer.from(HOST_KEYS) });
  });

  it('connects with the key of the pool, trusting only host keys that the guest itself told', async () => {
    const [name] = names() as [string];
    const called: (readonly string[])[] = [];
    const runIt = async (argv: readonly string[]) => {
      called.push(argv);
      return 3;
    };
    expect((await ask(poolSsh(open, runIt), [name, '--', 'uptime', '-p'])).code).toBe(3);
    const argv = called[0]!;
    expect(argv).toEqual(
      expect.arrayContaining(['StrictHostKeyChecking=yes', 'ForwardAgent=no', `HostKeyAlias=${name}`]),
    );
    expect(argv.slice(-5)).toEqual(['root', '--', '127.0.0.1', 'uptime', '-p']);
    const known = join(folder, 'instances', name, 'known_hosts');
    expect(readFileSync(known, 'utf8')).toBe(`${name} ssh-ed25519 AAAAC3Nz=\n${name} ecdsa-sha2-nistp256 AAAAE2Vj\n`);
    expect(statSync(known).mode & 0o777).toBe(0o600);
    expect(pools.ran[0]!.input).toContain("'ssh-ed25519 AAAApool pool p'");
  });

  it('tells how to connect instead, for other programs', async () => {
    const [name] = names() as [string];
    const ran = await ask(
      poolSsh(open, async () => expect.fail()),
      [name, '--json'],
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'PoolSsh', instance: name });
  });

  it('says so when the guest has no host key yet', async () => {
    const [name] = names() as [string];
    pools.guest = () => ({ exitCode: 1, stderr: Buffer.from('cat: /etc/ssh/ssh_host_*_key.pub: No such file') });
    const ran = await ask(
      poolSsh(open, async () => 0),
      [name],
    );
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('code:  pool/no-ssh');
  });
});

describe('pool logs', () => {
  it('shows the last lines of the console without what would steer a terminal', async () => {
    await create('p');
    const [name] = names() as [string];
    writeFileSync(join(folder, `${name}.log`), 'one\r\n\u001b[0;32mtwo\u001b[0m\r\n\u001b]0;title\u0007three\nlogin: ');
    expect((await ask(poolLogs(open), [name])).stdout).toBe('one\ntwo\nthree\nlogin: \n');
    expect((await ask(poolLogs(open), [name, '--lines', '2'])).stdout).toBe('three\nlogin: \n');
    expect((await ask(poolLogs(open), [name, '--lines', '0'])).stdout).toBe('');
    expect(JSON.parse((await ask(poolLogs(open), [name, '--json'])).stdout)).toMatchObject({
      kind: 'PoolLogs',
      lines: ['one', 'two', 'three', 'login: '],
    });
  });
});
