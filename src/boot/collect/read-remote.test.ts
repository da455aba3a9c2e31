import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRemoteCloudInitLog, readRemoteMachine } from './read-remote.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from './testing.ts';

let fake: FakeMachine;
beforeEach(() => {
  fake = createFakeMachine();
  fake.addProgram('ssh', '[ "$1 $2" = "-T --" ] || exit 255\nshift 3\nexec sh -c "$*"');
});
afterEach(() => fake.remove());

const machine = () => ({ host: 'me@node', env: fake.env });

describe('readRemoteMachine', () => {
  it('gives the files of the machine as inputs, and names what could not be read', async () => {
    addSmallNode(fake, { secret: 'hunter22' });
    fake.addProgram('journalctl', 'echo "no permission" >&2; exit 1');
    const { inputs, problems } = await readRemoteMachine(machine());
    expect(inputs.map(({ name }) => name)).toContain('systemctl-show-units.txt');
    expect(problems).toEqual(['me@node: `journalctl` failed: no permission']);
  });

  it('suggests --sudo if it may read nothing there', async () => {
    for (const name of ['systemctl', 'journalctl']) fake.addProgram(name, 'echo "Access denied" >&2; exit 1');
    await expect(readRemoteMachine(machine())).rejects.toMatchObject({
      message: expect.stringContaining('no boot data on me@node: `systemctl show` failed: Access denied'),
      next: expect.stringContaining('--sudo'),
    });
  });

  it.each([
    ['echo "Host key verification failed." >&2; exit 255', 'Host key verification failed.'],
    ['echo "me@node: Permission denied (publickey)." >&2; exit 255', 'Permission denied (publickey)'],
  ])('repeats what ssh says: %s', async (script, text) => {
    fake.addProgram('ssh', script);
    await expect(readRemoteMachine(machine())).rejects.toMatchObject({
      code: 'boot/host-unreachable',
      message: expect.stringContaining(text),
      next: expect.stringContaining('`ssh me@node true`'),
    });
  });

  it('ends as interrupted', async () => {
    await expect(readRemoteMachine({ ...machine(), signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'boot/interrupted',
    });
  });
});

describe('readRemoteCloudInitLog', () => {
  it('reads the current log only, or says why not', async () => {
    await expect(readRemoteCloudInitLog(machine())).rejects.toThrow(
      'cannot read /var/log/cloud-init.log of me@node: no such file',
    );
    fake.writeFile('var/log/cloud-init.log', 'now\n');
    fake.writeFile('var/log/cloud-init.log.1', 'before\n');
    const log = await readRemoteCloudInitLog(machine());
    expect([log.name, Buffer.from(log.head).toString()]).toEqual(['me@node:/var/log/cloud-init.log', 'now\n']);
  });
});
