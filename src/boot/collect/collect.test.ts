import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, type RunCommand, runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { collectBoot, readProblems, requireBoot, validBoot } from './collect.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from './testing.ts';

let fake: FakeMachine;
beforeEach(() => {
  fake = createFakeMachine();
});
afterEach(() => fake.remove());

const machine = (run: RunCommand = runCommand) => ({ run, root: fake.root, env: fake.env });
const exited: CommandResult = { outcome: 'exited', code: 0, stdout: Buffer.from('x\n'), stderr: '' };

describe('collectBoot', () => {
  it('collects the existing items and reports why others are missing', async () => {
    addSmallNode(fake, { secret: 'hunter22' });
    const { hostname, members, missed } = await collectBoot(machine());
    expect(hostname).toBe('Node-A');
    expect(members.map((member) => member.name)).toEqual([
      'systemctl-show-manager.txt',
      'systemctl-show-units.txt',
      'uname.txt',
      'journal.json',
      'proc/sys/kernel/random/boot_id',
      'etc/os-release',
      'var/log/cloud-init.log',
      'run/cloud-init/instance-data.json',
      'var/log/azure/custom script/events/1794776902000.json',
    ]);
    expect(missed).toContainEqual({
      name: 'dmesg.txt',
      why: 'dmesg failed: dmesg: read kernel buffer failed: Operation not permitted',
    });
    expect(missed).toContainEqual({ name: 'var/lib/hyperv/.kvp_pool_1', why: 'no such file' });
  });

  it('never collects user data or sensitive instance data', async () => {
    addSmallNode(fake, { secret: 'hunter22' });
    const { members } = await collectBoot(machine(), { nodeObject: true });
    expect(members.some(({ name }) => /user-data|sensitive/.test(name))).toBe(false);
  });

  it('runs at most four programs at once', async () => {
    let running = 0;
    let most = 0;
    const run: RunCommand = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return exited;
    };
    await collectBoot(machine(run), { nodeObject: true });
    expect(most).toBe(4);
  });

  it('collects only the journal for an earlier boot', async () => {
    addSmallNode(fake, { secret: 'x' });
    const { members } = await collectBoot(machine(), { boot: '-1' });
    expect(members.map((member) => member.name)).toEqual(['journal.json']);
    expect(Buffer.from(members[0]!.bytes).toString()).toContain('--boot=-1 --output=json');
  });

  it('gets the Node of this machine only with nodeObject', async () => {
    const commands: string[] = [];
    const run: RunCommand = async (argv) => {
      commands.push(argv.join(' '));
      return exited;
    };
    await collectBoot(machine(run));
    expect(commands.some((line) => line.startsWith('kubectl'))).toBe(false);
    await collectBoot(machine(run), { nodeObject: true });
    expect(commands.filter((line) => /^kubectl --kubeconfig=\S+ get node \S+ -o json/.test(line))).toHaveLength(1);
  });

  it('unpacks a rotated log, and reports one that it cannot unpack', async () => {
    fake.writeFile('var/log/cloud-init.log.2.gz', gzipSync('older line\n'));
    fake.writeFile('var/log/cloud-init.log.4.xz', Buffer.from('fd377a585a00', 'hex'));
    const { members, missed } = await collectBoot(machine(async () => exited));
    const log = members.find((member) => member.name === 'var/log/cloud-init.log.2')!;
    expect(Buffer.from(log.bytes).toString()).toBe('older line\n');
    expect(missed.find(({ name }) => name.endsWith('.xz'))?.why).toContain('xz');
  });

  it('keeps the last 4 MiB of a long guest agent log', async () => {
    fake.writeFile('var/log/waagent.log', `first\n${`${'x'.repeat(1023)}\n`.repeat(4097)}last\n`);
    const { members } = await collectBoot(machine(async () => exited));
    expect(members.find((member) => member.name === 'var/log/waagent.log')?.note).toBe('only the last 4 MiB');
  });

  it('keeps the complete lines of a journal over the limit', async () => {
    const run: RunCommand = async ([program]) =>
      program === 'journalctl'
        ? { ...exited, outcome: 'cut', code: null, stdout: Buffer.from('{"a":1}\n{"b"') }
        : exited;
    const { members } = await collectBoot(machine(run));
    const journal = members.find((member) => member.name === 'journal.json')!;
    expect(Buffer.from(journal.bytes).toString()).toBe('{"a":1}\n');
    expect(journal.note).toBe('only the first 64 MiB');
  });
});

describe('requireBoot', () => {
  it('fails with a next step on a machine without systemd and cloud-init', async () => {
    fake.addProgram('systemctl', "echo 'System has not been booted with systemd as init system' >&2; exit 1");
    fake.addProgram('journalctl', 'exit 0');
    const collected = await collectBoot(machine());
    expect(() => requireBoot(collected, '0')).toThrow(UserError);
    expect(() => requireBoot(collected, '0')).toThrow(
      /no boot data on this machine: `systemctl show` failed: System has not .*; `journalctl` printed nothing/,
    );
  });

  it('accepts a cloud-init log alone, on any init system', async () => {
    fake.writeFile('var/log/cloud-init.log', 'x\n');
    const missing: CommandResult = { outcome: 'missing', code: null, stdout: Buffer.alloc(0), stderr: '' };
    const collected = await collectBoot(machine(async () => missing));
    expect(() => requireBoot(collected, '0')).not.toThrow();
  });
});

describe('readProblems', () => {
  it('reports items that exist but could not be read, and not those that do not exist', async () => {
    addSmallNode(fake, { secret: 'x' });
    const run: RunCommand = async (argv, options) =>
      argv.includes('*')
        ? { outcome: 'timed-out', code: null, stdout: Buffer.alloc(0), stderr: '' }
        : runCommand(argv, options);
    expect(readProblems(await collectBoot(machine(run)), '0')).toEqual(['`systemctl show *` timed out after 60 s']);
  });
});

describe('validBoot', () => {
  it('accepts boot numbers and ids as journalctl does, and rejects anything else', () => {
    expect(['0', '-0', '-1', '3', '46bc72e7-a99d-4d42-9784-493dd92e074f'].map((boot) => validBoot(boot))).toEqual([
      '0',
      '0',
      '-1',
      '3',
      '46bc72e7a99d4d429784493dd92e074f',
    ]);
    for (const boot of ['', '-1;id', '--file=x', 'last', '0 0']) expect(() => validBoot(boot)).toThrow(UserError);
  });
});
