import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logTail } from './log-tail.ts';
import { serverProcesses as processes } from './server-processes.ts';

let folder: string;
let program: string;
let logs: { log: string; previousLog: string };
const SERVER = 'a-server';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-process-'));
  mkdirSync(join(folder, 'here'));
  program = join(folder, SERVER);
  symlinkSync(process.execPath, program);
  logs = { log: join(folder, 'log'), previousLog: join(folder, 'log.old') };
});
afterEach(() => {
  processes.signal(join(folder, 'here'), SERVER, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

/** On a busy machine a process may start slowly. */
const seen = (look: () => void) => vi.waitFor(look, { timeout: 60_000 });
const start = (script: string) => processes.start(join(folder, 'here'), [program, '-e', script], logs);
const find = (where = 'here', server = SERVER) => processes.find(join(folder, where), server);

describe('a server that outlives its command', { timeout: 120_000 }, () => {
  it('is found by its folder and its name, and by nothing else', async () => {
    start('setInterval(() => {}, 1000)');
    await seen(() => expect(find()?.pid).toBeGreaterThan(0));
    expect(new Date(find()!.sinceMs).getUTCFullYear()).toBeGreaterThan(2025);
    expect(find()).toEqual(find());
    expect(find('here', 'another')).toBeUndefined();
    expect(find('.')).toBeUndefined();
    expect(find('nowhere')).toBeUndefined();
  });

  it('is found after its folder was moved', async () => {
    start('setInterval(() => {}, 1000)');
    await seen(() => expect(find()).toBeDefined());
    mkdirSync(join(folder, 'new'));
    rmSync(join(folder, 'new'), { recursive: true });
    symlinkSync('here', join(folder, 'new'));
    expect(find('new')?.pid).toBe(find()?.pid);
  });

  it('has a new session and does not inherit the environment', async () => {
    process.env.HEADSTART_CANARY = 'canary-4711';
    start('console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000)');
    delete process.env.HEADSTART_CANARY;
    await seen(() => expect(readFileSync(logs.log, 'utf8')).toContain('PATH'));
    expect(readFileSync(logs.log, 'utf8')).not.toContain('canary-4711');
    const stat = readFileSync(`/proc/${find()!.pid}/stat`, 'utf8');
    const session = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
    expect(Number(session)).toBe(find()!.pid);
  });

  it('that exited is not found, and the reason is known', async () => {
    const why = start('console.error("oh"); process.exit(3)');
    await seen(() => expect(why()).toBe('ended with code 3'));
    expect(find()).toBeUndefined();
    expect(logTail(logs.log)).toBe('oh');
    processes.signal(join(folder, 'here'), SERVER, 'SIGTERM'); // does nothing
  });

  it('that was killed is not found, and its log is kept at the next start', async () => {
    const why = start('console.log("first"); setInterval(() => {}, 1000)');
    await seen(() => expect(logTail(logs.log)).toBe('first'));
    processes.signal(join(folder, 'here'), SERVER, 'SIGKILL');
    await seen(() => expect(find()).toBeUndefined());
    await seen(() => expect(why()).toBe('ended with SIGKILL'));
    start('console.log("second"); setInterval(() => {}, 1000)');
    await seen(() => expect(logTail(logs.log)).toBe('second'));
    expect(logTail(logs.previousLog)).toBe('first');
    expect(statSync(logs.log).mode & 0o777).toBe(0o600);
  });

  it('gets the given argv[0]', async () => {
    processes.start(join(folder, 'here'), [process.execPath, '-e', 'setInterval(() => {}, 1000)'], {
      ...logs,
      argv0: SERVER,
    });
    await seen(() => expect(find()?.argv).toEqual([SERVER, '-e', 'setInterval(() => {}, 1000)']));
  });

  it('is found as an orphan when its folder was removed', async () => {
    start('setInterval(() => {}, 1000)');
    await seen(() => expect(find()).toBeDefined());
    const { pid } = find()!;
    const orphans = (parent: string) => processes.findOrphans(parent, ['other', SERVER]);
    expect(orphans(folder)).toEqual([]);
    rmSync(join(folder, 'here'), { recursive: true });
    expect(find()).toBeUndefined();
    expect(orphans(folder)).toEqual([{ server: SERVER, pid, folder: join(folder, 'here') }]);
    expect(orphans(`${folder}x`)).toEqual([]);
    expect(processes.findOrphans(folder, ['other'])).toEqual([]);
    process.kill(pid, 'SIGKILL');
    await seen(() => expect(orphans(folder)).toEqual([]));
  });

  it('that cannot be run reports the reason', async () => {
    const why = processes.start(join(folder, 'here'), [join(folder, 'missing')], logs);
    await seen(() => expect(why()).toBe('cannot be run (ENOENT)'));
  });
});

describe('logTail', () => {
  it('returns the last lines, also of a huge log, and nothing without a log', () => {
    writeFileSync(logs.log, `${'x'.repeat(100_000)}\n${[1, 2, 3, 4, 5, 6].join('\n')}\n`);
    expect(logTail(logs.log)).toBe('2\n3\n4\n5\n6');
    writeFileSync(
      logs.log,
      `${'x\n'.repeat(20)}panic: no space left\n\ngoroutine 1 [running]:\n${'main.main()\n'.repeat(50)}`,
    );
    expect(logTail(logs.log, 2)).toBe('panic: no space left\n');
    writeFileSync(logs.log, 'one');
    expect(logTail(logs.log)).toBe('one');
    expect(logTail(join(folder, 'missing'))).toBe('');
  });
});
