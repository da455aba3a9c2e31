import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { collectBoot } from './collect.ts';
import { itemsFor, nodeObjectItem, THIS_HOST } from './items.ts';
import { collectRemote, remoteScript, sshCommand } from './remote.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from './testing.ts';

let fake: FakeMachine;
beforeEach(() => {
  fake = createFakeMachine();
  // Like the real ssh: joins the arguments after the host and passes them to a shell.
  fake.addProgram('ssh', '[ "$1 $2" = "-T --" ] || exit 255\nshift 3\nexec sh -c "$*"');
});
afterEach(() => fake.remove());

const remote = (items = itemsFor('0')) => collectRemote({ host: 'me@node', items, run: runCommand, env: fake.env });

describe('collectRemote', () => {
  it('collects the same as on the machine itself', async () => {
    addSmallNode(fake, { secret: 'hunter22' });
    fake.writeFile('var/lib/hyperv/.kvp_pool_1', Buffer.alloc(2560, 1));
    fake.writeFile('var/log/waagent.log', `first\n${`${'x'.repeat(1023)}\n`.repeat(4097)}last\n`);
    const [there, here] = [await remote(), await collectBoot({ run: runCommand, root: fake.root, env: fake.env })];
    const contents = (members: typeof here.members) =>
      members.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]);
    expect(contents(there.members)).toEqual(contents(here.members));
    expect(there.missed).toEqual(here.missed);
    expect(there.hostname).toBe('Node-A');
  });

  it('reports an interruption, and a missing ssh client', async () => {
    const pressed = new AbortController();
    pressed.abort();
    const items = itemsFor('0');
    const interrupted = collectRemote({ host: 'node', items, run: runCommand, signal: pressed.signal });
    await expect(interrupted).rejects.toThrow('could not collect from node: interrupted');
    const without = collectRemote({ host: 'node', items, run: runCommand, env: { PATH: fake.root } });
    await expect(without).rejects.toMatchObject({ next: expect.stringContaining('install an ssh client') });
  });

  it('connects with the program in HEADSTART_SSH', async () => {
    addSmallNode(fake, { secret: 'hunter22' });
    fake.addProgram('ssh', 'exit 255');
    fake.addProgram('bastion-ssh', 'shift 3\nexec sh -c "$*"');
    const over = (program: string) =>
      collectRemote({
        host: 'me@node',
        items: itemsFor('0'),
        run: runCommand,
        env: { ...fake.env, HEADSTART_SSH: program },
      });
    expect((await over('bastion-ssh')).hostname).toBe('Node-A');
    await expect(over('gone')).rejects.toThrow(
      'could not collect from me@node: cannot start gone, which HEADSTART_SSH',
    );
  });

  it('leaves no files on the remote machine', async () => {
    addSmallNode(fake, { secret: 'x' });
    await remote();
    expect(readdirSync(fake.env.TMPDIR)).toEqual([]);
  });

  it('gets the Node with the name of the remote machine', async () => {
    addSmallNode(fake, { secret: 'x' });
    const { members } = await remote([...itemsFor('0'), nodeObjectItem(THIS_HOST)]);
    expect(Buffer.from(members.at(-1)!.bytes).toString()).toContain('get node node-a -o json');
  });

  it('ignores a login greeting', async () => {
    addSmallNode(fake, { secret: 'x' });
    fake.addProgram('ssh', 'echo "Welcome to item 5 whole x"\nshift 3\nexec sh -c "$*"');
    expect((await remote()).members.length).toBeGreaterThan(5);
  });

  it('reports the error of ssh if it cannot connect, and the missing rest if the connection breaks', async () => {
    fake.addProgram('ssh', 'echo "ssh: connect to host node port 22: Connection refused" >&2; exit 255');
    await expect(remote()).rejects.toThrow(/could not collect from me@node: ssh: connect .* refused/);
    addSmallNode(fake, { secret: 'x' });
    fake.addProgram('ssh', 'shift 3\nsh -c "$*" | head -c 600');
    const { members, missed } = await remote();
    expect(members.map((member) => member.name)).toContain('systemctl-show-manager.txt');
    expect(missed.at(-1)).toEqual({ name: 'the rest', why: 'the connection to me@node ended early' });
  });

  it('refuses a host that ssh would parse as an option', () => {
    for (const host of ['-oProxyCommand=id', '', 'a b', 'a\nb', '--']) {
      expect(() => sshCommand(host, ['sh', '-s'])).toThrow(UserError);
    }
    expect(sshCommand('me@node', ['sh', '-s'])).toEqual(['ssh', '-T', '--', 'me@node', 'sh', '-s']);
  });

  it('sends a valid POSIX shell script, with patterns that contain only path characters', async () => {
    const script = remoteScript([...itemsFor('0'), nodeObjectItem(THIS_HOST)]);
    expect(await runCommand(['sh', '-n'], { input: script })).toMatchObject({ code: 0, stderr: '' });
    for (const item of itemsFor('0')) if (item.kind === 'file') expect(item.pattern).toMatch(/^\/[\w./*-]+$/);
  });
});
