import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { fakeClock } from '../../../base/fake-clock.ts';
import { instanceFiles } from '../home/layout.ts';
import { forwardedIn, pidOf, qemuMachines } from './machines.ts';

/** Its first thread has ended, as after a kill; another one goes on until its input ends. */
const DYING = `$0 = 'qemu-dying'; threads->create(sub { sysread STDIN, my $byte, 1; kill KILL => $$ });
$| = 1; print "x"; syscall(${process.arch === 'arm64' ? 93 : 60}, 0)`;
const hasThreads = spawnSync('perl', ['-Mthreads', '-e', '1']).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-machine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const machine = () => ({ folder, vmId: '6b1f0f1e-1f2a-4c4c-9a57-0123456789ab' });
const writePid = (text: string) => writeFileSync(join(folder, instanceFiles.pid), text);

describe('pidOf', () => {
  it('is undefined without a pid file, with an invalid one, or when the process is gone', () => {
    expect(pidOf(machine())).toBeUndefined();
    for (const text of ['', 'x', '-1', '0', '1', '4194304999\n', '../../1']) {
      writePid(text);
      expect(pidOf(machine()), text).toBeUndefined();
    }
  });

  it('is undefined when another program has the pid', () => {
    writePid(`${process.pid}\n`);
    expect(pidOf(machine())).toBeUndefined();
  });
});

// e2e/qemu-contract.test.ts uses real processes.
describe('machines', () => {
  it('that were never started, or whose pid belongs to another process, are off, and no process is ended', async () => {
    writePid(`${process.pid}\n`);
    const machines = qemuMachines(systemClock);
    expect(await machines.state(machine())).toBe('off');
    expect(await machines.forwardedPorts(machine())).toEqual(new Map());
    await machines.end(machine());
  });

  it.skipIf(!hasThreads)(
    'are off only when all threads of a killed process have ended, and nothing uses the disk',
    async () => {
      const dying = spawn('perl', ['-Mthreads', '-e', DYING], { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(dying.stdout, 'data');
      writePid(`${dying.pid}\n`);
      await vi.waitFor(() => expect(readFileSync(`/proc/${dying.pid}/cmdline`, 'utf8')).toBe(''));
      let waits = 0;
      const sleep = async () => {
        if (++waits === 3) dying.stdin.end();
        await new Promise(setImmediate);
      };
      const exited = once(dying, 'exit');
      expect(await qemuMachines({ ...systemClock, sleep }).state(machine())).toBe('off');
      expect(waits).toBeGreaterThanOrEqual(3);
      await exited;
    },
  );

  it("that exit immediately fail with QEMU's output", async () => {
    const launching = qemuMachines(systemClock).launch(machine(), ['sh', '-c', 'echo no such machine >&2; exit 1']);
    await expect(launching).rejects.toMatchObject({
      code: 'vms/qemu-failed',
      message: expect.stringContaining('no such machine'),
    });
  });

  it('are not started while a tool has their disk open, and the error names the tool', async () => {
    const disk = join(folder, instanceFiles.disk);
    writeFileSync(disk, '');
    const handle = openSync(disk, 'r');
    const tool = spawn('cat', { stdio: ['pipe', handle, 'ignore'] });
    await once(tool, 'spawn');
    closeSync(handle);
    const argv = ['sh', '-c', 'echo begun >&2; exit 1'] as const;
    const stubborn = qemuMachines(fakeClock()).launch(machine(), argv);
    await expect(stubborn).rejects.toMatchObject({
      code: 'vms/disk-in-use',
      message: expect.stringContaining(`process ${tool.pid} (cat)`),
    });

    const sleep = async (ms: number) => {
      tool.stdin!.end();
      await systemClock.sleep(ms);
    };
    const launching = qemuMachines({ ...systemClock, sleep }).launch(machine(), argv);
    await expect(launching).rejects.toMatchObject({ code: 'vms/qemu-failed' });
    expect(tool.exitCode).toBe(0);
  });

  it('fail with the package to install when the program is missing', async () => {
    const launching = qemuMachines(systemClock).launch(machine(), ['no-such-qemu-anywhere']);
    await expect(launching).rejects.toMatchObject({ code: 'vms/missing-program' });
  });
});

describe('forwardedIn', () => {
  it("parses the forwarded ports from QEMU's output", () => {
    const messages = `Hub -1 (n0):\r
  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r
  TCP[ESTABLISHED]   18       127.0.0.1 41234       168.1.0.4    22     0     0\r
  TCP[HOST_FORWARD]  12       127.0.0.1 42255               *    22     0     0\r
  TCP[HOST_FORWARD]  13       127.0.0.1 42256       168.1.0.4 10250     0     0\r
`;
    expect([...forwardedIn(messages)]).toEqual([
      [22, 42255],
      [10250, 42256],
    ]);
    expect(forwardedIn('nothing').size).toBe(0);
    expect(forwardedIn(undefined).size).toBe(0);
  });
});
