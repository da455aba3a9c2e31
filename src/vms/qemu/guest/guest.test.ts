import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import { type AgentAnswer, answeringAgent } from '../testing.ts';
import { readGuestClock, runInGuest, writeInGuest } from './guest.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function guest(answers: Readonly<Record<string, AgentAnswer>>) {
  const agent = answeringAgent({ 'guest-exec': () => ({ pid: 7 }), ...answers });
  return { agent, clock: fakeClock() };
}

describe('runInGuest', () => {
  it('passes program, arguments and input unchanged, and returns the output', async () => {
    let given: unknown;
    let looks = 0;
    const deps = guest({
      'guest-exec': (args) => {
        given = args;
        return { pid: 7 };
      },
      'guest-exec-status': () =>
        ++looks < 3
          ? { exited: false }
          : { exited: true, exitcode: 3, 'out-data': base64('out'), 'err-data': base64('err') },
    });
    const ran = await runInGuest(deps, '/i', ['sh', '-c', 'a "b" $c'], { deadlineMs: 60_000, input: 'fed' });
    expect(ran).toEqual({ exitCode: 3, stdout: Buffer.from('out'), stderr: Buffer.from('err') });
    expect(given).toEqual({ path: 'sh', arg: ['-c', 'a "b" $c'], 'capture-output': true, 'input-data': base64('fed') });
  });

  it('returns 128 plus the signal number, like a shell', async () => {
    const deps = guest({ 'guest-exec-status': () => ({ exited: true, signal: 9 }) });
    expect((await runInGuest(deps, '/i', ['x'], { deadlineMs: 1000 })).exitCode).toBe(137);
  });

  it.each<[string, (stop: AbortController) => void, string]>([
    ['its deadline passes', () => undefined, 'was killed'],
    ['it is messages to stop', (stop) => stop.abort(new Error('enough')), 'enough'],
  ])('kills the program in the guest when %s', async (_when, whileRunning, says) => {
    const started: unknown[] = [];
    const stop = new AbortController();
    const deps = guest({
      'guest-exec': (args) => {
        started.push([args.path, args.arg]);
        return { pid: 7 };
      },
      'guest-exec-status': () => {
        whileRunning(stop);
        return { exited: false };
      },
    });
    const running = runInGuest(deps, '/i', ['sleep', '1h'], { deadlineMs: 5000, signal: stop.signal });
    await expect(running).rejects.toThrow(says);
    expect(started).toEqual([
      ['sleep', ['1h']],
      ['kill', ['-KILL', '7']],
    ]);
  });

  it('refuses truncated output', async () => {
    const deps = guest({ 'guest-exec-status': () => ({ exited: true, exitcode: 0, 'out-truncated': true }) });
    await expect(runInGuest(deps, '/i', ['cat', 'x'], { deadlineMs: 1000 })).rejects.toThrow('16 MiB');
  });
});

describe('writeInGuest', () => {
  it('writes the whole content in chunks', async () => {
    const pieces: Buffer[] = [];
    const deps = guest({
      'guest-file-open': () => 4,
      'guest-file-write': ({ 'buf-b64': piece }) => void pieces.push(Buffer.from(String(piece), 'base64')),
      'guest-file-close': () => ({}),
    });
    const content = Buffer.alloc((2 << 20) + 5, 'abc');
    await writeInGuest(deps, '/i', '/x', content);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    expect(pieces.length).toBe(3);
    expect(deps.agent.commands.at(-1)).toBe('guest-file-close');
  });
});

describe('readGuestClock', () => {
  it('returns the reading with the shortest interval', async () => {
    const tookMs = [9, 4, 2, 30, 3];
    let reading = 0;
    const deps = guest({
      'guest-get-time': () => {
        deps.clock.advance(tookMs[reading]!);
        return (1_000_000 + reading++) * 1e6;
      },
    });
    const { guestMs, hostBeforeMs, hostAfterMs } = await readGuestClock(deps, '/i');
    expect({ guestMs, tookMs: hostAfterMs - hostBeforeMs }).toEqual({ guestMs: 1_000_002, tookMs: 2 });
  });
});
