import { describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';
import { onTrace } from './trace.ts';

describe('runCommand', () => {
  it('returns exit code, standard output and standard error', async () => {
    const ran = await runCommand(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(ran).toEqual({ outcome: 'exited', code: 3, stdout: Buffer.from('out\n'), stderr: 'err\n' });
  });

  it('is traced with arguments, exit code and duration, and without input, environment and secrets', async () => {
    const lines: string[] = [];
    const stop = onTrace(({ to, text }) => lines.push(`${to}: ${text}`));
    const env = { PATH: process.env.PATH, CANARY: 's3cret' };
    await runCommand(['sh', '-c', 'exit 3', 'sh', '--token', 's3cret'], { input: 's3cret', env });
    await runCommand(['no-such-program-anywhere']);
    stop();
    expect(lines).toEqual([
      expect.stringMatching(/^run: sh -c 'exit 3' sh --token \*\*\*: exited 3 in \d+ ms$/),
      expect.stringMatching(/^run: no-such-program-anywhere: missing in \d+ ms$/),
    ]);
  });

  it('passes arguments unchanged, without a shell', async () => {
    const ran = await runCommand(['printf', '%s', '$(id); `id` "x" *']);
    expect(ran.stdout.toString()).toBe('$(id); `id` "x" *');
  });

  it('distinguishes a program that does not exist from one that failed', async () => {
    const ran = await runCommand(['no-such-program-anywhere']);
    expect(ran).toMatchObject({ outcome: 'missing', code: null });
    expect(ran.stderr).toContain('ENOENT');
  });

  it('kills a program at its timeout even if a child keeps the pipe open', async () => {
    const ran = await runCommand(['sh', '-c', 'echo before; sleep 3 & wait'], { timeoutMs: 300 });
    expect(ran).toMatchObject({ outcome: 'timed-out', code: null, stdout: Buffer.from('before\n') });
  });

  it('keeps output up to the limit if it is endless', async () => {
    const ran = await runCommand(['sh', '-c', 'while :; do echo 0123456789; done'], { maxBytes: 1000 });
    expect(ran.outcome).toBe('cut');
    expect(ran.stdout).toHaveLength(1000);
  });

  it('keeps an output of exactly the limit completely', async () => {
    expect(await runCommand(['printf', '12345'], { maxBytes: 5 })).toMatchObject({ outcome: 'exited', code: 0 });
  });

  it('stops when the signal aborts, and does not start if it is already aborted', async () => {
    const stop = new AbortController();
    const running = runCommand(['sh', '-c', 'echo started >&2; exec sleep 3'], {
      signal: stop.signal,
      onStderr: () => stop.abort(),
    });
    expect((await running).outcome).toBe('aborted');
    expect((await runCommand(['echo', 'x'], { signal: stop.signal })).stdout).toHaveLength(0);
  });

  it('writes standard input and survives a program that never reads it', async () => {
    expect((await runCommand(['cat'], { input: 'fed' })).stdout.toString()).toBe('fed');
    expect((await runCommand(['true'], { input: 'x'.repeat(1 << 20) })).code).toBe(0);
  });

  it('passes only the given environment', async () => {
    const ran = await runCommand(['/bin/sh', '-c', 'echo "$ONLY-$HOME"'], { env: { ONLY: 'this' } });
    expect(ran.stdout.toString()).toBe('this-\n');
  });
});
