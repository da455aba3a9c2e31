import { expect, test } from 'vitest';
import type { Ran, RunCommand } from '../../../base/command.ts';
import { importImages } from './import-images.ts';

const PAUSE = {
  archive: '/cache/a b.tar',
  digest: 'sha256:1',
  labels: ['a=1', 'b=2'],
  names: ['a.example/pause:1', 'a.example/pause@sha256:1', 'sha256:2'],
};
const HELLO = { ...PAUSE, archive: '/cache/hello.tar', names: ['a.example/hello:1'] };
const programs = { containerd: '/p/containerd', ctr: '/p/ctr' };

function machine(ran: Partial<Ran> & { says?: string[] } = {}) {
  const { says = [], ...rest } = ran;
  const calls: string[][] = [];
  const reports: string[] = [];
  const runAsRoot: RunCommand = (argv, options) => {
    calls.push([...argv]);
    for (const text of says) options?.onStderr?.(text);
    return Promise.resolve({ outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: says.join(''), ...rest });
  };
  const onWaiting = (what: string, percent?: number) => void reports.push(`${what} ${percent ?? ''}`.trim());
  return { calls, reports, deps: { runAsRoot, store: '/s/store', scratch: '/s', onWaiting } };
}

test('importImages runs without network and passes every word as a separate argument', async () => {
  const { calls, deps } = machine();
  await importImages([PAUSE, HELLO], programs, deps);
  const [[first, second, shell, , script, ...words] = []] = calls;
  expect([first, second, shell]).toEqual(['unshare', '--net', 'sh']);
  expect(script).not.toMatch(/a\.example|cache/);
  expect(words).toEqual([
    ...['import-images', '/p/containerd', '/p/ctr', '/s/store', '/s'],
    ...['/cache/a b.tar', 'sha256:1', 'a=1,b=2', 'a.example/pause:1,a.example/pause@sha256:1,sha256:2'],
    ...['/cache/hello.tar', 'sha256:1', 'a=1,b=2', 'a.example/hello:1'],
  ]);
});

test('importImages reports progress and returns the usage of snapshots', async () => {
  const stdout = Buffer.from('d 1 4096 1/fs\nf 2 10 1/fs\n');
  const { reports, deps } = machine({ says: ['importing 0\n', 'a warning\n', 'importing 1\n'], stdout });
  expect(await importImages([PAUSE, HELLO], programs, deps)).toEqual(new Map([[1n, { inodes: 2, bytes: 8192 }]]));
  expect(reports).toEqual([
    'containerd to start',
    'a.example/pause:1 to be imported 0',
    'a.example/hello:1 to be imported 50',
  ]);
});

test('importImages names the image that failed, with the last line of output only', async () => {
  const says = ['importing 0\n', 'importing 1\n', 'level=info a lot\nctr: no space left on device\n'];
  await expect(importImages([PAUSE, HELLO], programs, machine({ code: 1, says }).deps)).rejects.toMatchObject({
    code: 'image/not-imported',
    message: 'containerd did not import a.example/hello:1 (exited): ctr: no space left on device',
  });
});

test('importImages reports a containerd that does not start', async () => {
  const failed = machine({ code: 1, says: ["containerd: version `GLIBC_2.34' not found\n"] });
  await expect(importImages([PAUSE], programs, failed.deps)).rejects.toMatchObject({
    code: 'image/containerd-not-started',
    next: expect.stringContaining('/p/containerd'),
  });
});

test('importImages reports an interruption, not a failure, when aborted', async () => {
  const signal = AbortSignal.abort(new Error('interrupted'));
  const stopped = machine({ outcome: 'aborted', code: null });
  await expect(importImages([PAUSE], programs, { ...stopped.deps, signal })).rejects.toThrow('interrupted');
});
