import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { buildProgram, ensureBuildSpace } from './build-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-build-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const what = () => ({ name: 'kubectl' as const, version: 'v1.35.8', output: join(folder, 'kubectl') });

/** A Go whose build prints this and exits with this code. */
function go(code: number, said: string) {
  const calls: string[][] = [];
  const run: RunCommand = async (argv, options) => {
    calls.push([...argv]);
    const isEnv = argv.includes('env');
    if (!isEnv) options?.onStderr?.(said);
    const stdout = Buffer.from(isEnv ? JSON.stringify({ GOVERSION: 'go1.26.0', GOCACHE: join(folder, 'cache') }) : '');
    return { outcome: 'exited', code: isEnv ? 0 : code, stdout, stderr: '' };
  };
  return { calls, deps: { env: {}, run, freeBytes: async () => 2 ** 40 } };
}

it('a build stamps the version and reports every hundred packages', async () => {
  const { calls, deps } = go(0, 'package\n'.repeat(250));
  const told: string[] = [];
  await buildProgram(what(), deps, { onWaiting: (waiting) => told.push(waiting) });
  const flags = calls.at(-1)!.find((word) => word.startsWith('-ldflags='))!;
  expect(flags).toContain('version.gitVersion=v1.35.8');
  expect(flags).toContain('version.gitMinor=35');
  expect(told).toEqual(['Go to build kubectl v1.35.8', 'Go to build kubectl v1.35.8 (200 packages so far)']);
});

it('a failed build reports the end of the output of Go', async () => {
  const { deps } = go(1, `${'x'.repeat(5_000)}\nkubectl.go:1: undefined: y\n`);
  await expect(buildProgram(what(), deps)).rejects.toMatchObject({
    code: 'cluster/build-failed',
    message: expect.stringMatching(/^could not build kubectl \(exited, code 1\): [\s\S]{0,2000}undefined: y$/),
  });
});

it('an interrupt is not reported as a failed build', async () => {
  const { deps } = go(1, '');
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(buildProgram(what(), deps, { signal })).rejects.toThrow('enough');
});

it('a disk with less than a gigabyte is refused before the build', async () => {
  await expect(ensureBuildSpace(folder, 'etcd', { freeBytes: async () => 2 ** 30 - 1 })).rejects.toMatchObject({
    code: 'cluster/no-space',
    message: `building etcd needs 1024 MiB under ${folder}; 1023 MiB are free`,
  });
  await ensureBuildSpace(folder, 'etcd', { freeBytes: async () => 2 ** 30 });
});
