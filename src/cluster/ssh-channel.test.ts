import { describe, expect, it } from 'vitest';
import type { CommandResult, RunCommand } from '../base/command.ts';
import { sshProgram } from '../base/ssh-program.ts';
import { sshChannel } from './ssh-channel.ts';

describe('sshChannel', () => {
  const answer =
    (ran: Partial<CommandResult>): RunCommand =>
    async () => ({
      outcome: 'exited',
      code: 0,
      stdout: Buffer.from('out'),
      stderr: '',
      ...ran,
    });

  it('passes the script to a root shell and returns its result', async () => {
    const asked: unknown[] = [];
    const channel = sshChannel('me@node', async (argv, options) => {
      asked.push(argv, options?.input);
      return answer({ code: 4 })(argv);
    });
    expect(await channel.run('echo hi', { deadlineMs: 1000 })).toEqual({ exitCode: 4, stdout: 'out', stderr: '' });
    expect(asked[0]).toEqual(expect.arrayContaining(['BatchMode=yes', '--', 'me@node']));
    expect(asked[1]).toBe('echo hi');
  });

  it('throws a transient error when ssh cannot connect', async () => {
    const channel = sshChannel('me@node', answer({ code: 255, stderr: 'Connection refused\n' }));
    await expect(channel.run('x', { deadlineMs: 1 })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'prototype/ssh',
    });
    expect(await channel.isAnswering()).toBe(false);
    await expect(sshChannel('n', answer({ outcome: 'missing', code: null })).isAnswering()).rejects.toThrow(
      'not installed',
    );
  });

  it('runs the program that HEADSTART_SSH names, and names it when it is missing', async () => {
    const programs: string[] = [];
    const run: RunCommand = async (argv) => {
      programs.push(argv[0]);
      return answer({ outcome: 'missing', code: null })(argv);
    };
    const channel = sshChannel('me@node', run, sshProgram({ HEADSTART_SSH: '/opt/bastion-ssh' }));
    await expect(channel.isAnswering()).rejects.toMatchObject({
      message: expect.stringContaining('cannot start /opt/bastion-ssh, which HEADSTART_SSH is set to'),
      code: 'prototype/no-ssh-client',
    });
    expect(programs).toEqual(['/opt/bastion-ssh']);
    expect(sshProgram({ HEADSTART_SSH: '' })).toBe('ssh');
  });

  it.each(['-oProxyCommand=id', '', 'a b', 'a\nb'])('refuses %j as a host', (target) => {
    expect(() => sshChannel(target, answer({}))).toThrow(expect.objectContaining({ code: 'prototype/bad-host' }));
  });
});
