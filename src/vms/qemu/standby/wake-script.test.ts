import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { peerInTables, WAKE_SCRIPT } from './wake-script.ts';

const perl = (args: string[], input = '') => spawnSync('perl', args, { input, encoding: 'utf8' });
const hasPerl = perl(['-v']).status === 0;
/** The kernel refuses a time before 1970, so this machine's clock is never set. */
const NO_TIME = '-1000000000000000';

/** A process with a connection to itself; it exits with code 0 when its connection ends. */
const CLIENT = String.raw`use strict; use warnings; use Socket; $| = 1;
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die; bind($listener, sockaddr_in(0, INADDR_LOOPBACK)) or die; listen($listener, 1) or die;
my ($port) = sockaddr_in(getsockname $listener);
socket(my $client, PF_INET, SOCK_STREAM, 0) or die; connect($client, sockaddr_in($port, INADDR_LOOPBACK)) or die;
accept(my $server, $listener) or die;
print "$port\n"; alarm 30;
exit(defined sysread($client, my $byte, 1) ? 0 : 1);`;

describe('the address of the API server', () => {
  it.each([
    ['168.0.0.10', 6443, '0A0000A8:192B'],
    ['127.0.0.1', 80, '0100007F:0050'],
    ['255.1.2.3', 65535, '030201FF:FFFF'],
  ])('%s:%i is %s in the tables of the kernel', (address, port, text) => {
    expect(peerInTables(address, port)).toBe(text);
  });
});

describe.skipIf(!hasPerl)('the wake script', () => {
  it('compiles without a warning', () => {
    expect(perl(['-c'], WAKE_SCRIPT).stderr).toBe('- syntax OK\n');
  });

  it('does nothing in a rehearsal', () => {
    const { status, stdout, stderr } = perl(['-e', WAKE_SCRIPT, '--', 'rehearse', '']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('reports a clock that could not be set, and goes on', () => {
    const { status, stdout } = perl(['-e', WAKE_SCRIPT, '--', NO_TIME, ''], 'x'.repeat(64));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^clock=failed: .+\nentropy=(added|failed: .+)\nconnections=0\ntime=\d+\n$/);
  });

  it('adds to the clock, which the kernel refuses here, too', () => {
    const { stdout } = perl(['-e', WAKE_SCRIPT, '--', `add:-${3n * 10n ** 18n}`, '']);
    expect(stdout).toMatch(/^clock=failed: .+\nconnections=0\n/);
  });

  it('says which time its clock has at the end', () => {
    const beforeMs = Date.now();
    const { stdout } = perl(['-e', WAKE_SCRIPT, '--', NO_TIME, '']);
    const timeMs = Number(/^time=(\d+)$/m.exec(stdout)?.[1]) / 1e6;
    expect(timeMs).toBeGreaterThanOrEqual(beforeMs);
    expect(timeMs).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('ends the connections to the API server, and no other', async () => {
    const started = await Promise.all(
      [1, 2].map(async () => {
        const child = spawn('perl', ['-e', CLIENT], { stdio: ['ignore', 'pipe', 'inherit'] });
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        return { child, port: Number(line.toString()) };
      }),
    );
    const [cut, other] = [started[0]!, started[1]!];
    const ended = once(cut.child, 'exit');
    try {
      const { stdout } = perl(['-e', WAKE_SCRIPT, '--', NO_TIME, peerInTables('127.0.0.1', cut.port)]);
      expect(stdout).toContain('connections=1\n');
      expect(await ended).toEqual([0, null]);
      expect(other.child.exitCode).toBeNull();
    } finally {
      for (const { child } of started) child.kill();
    }
  });
});
