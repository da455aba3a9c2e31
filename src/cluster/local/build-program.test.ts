import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Ran, RunCommand } from '../../base/command.ts';
import { type BuildEdges, buildProgram } from './build-program.ts';

const cache = mkdtempSync(join(tmpdir(), 'headstart-build-program-'));
afterAll(() => rmSync(cache, { recursive: true }));

const what = { name: 'kube-apiserver', version: 'v1.35.8', output: '/out/kube-apiserver' } as const;

function world({ code = 0, free = 2 ** 40, stderr = '' } = {}) {
  const built: string[][] = [];
  const run: RunCommand = async (argv, options) => {
    const isAsked = argv.includes('env');
    if (!isAsked) built.push([...argv]);
    if (!isAsked) options?.onStderr?.(stderr);
    return {
      outcome: 'exited',
      code: isAsked ? 0 : code,
      stdout: Buffer.from(JSON.stringify({ GOVERSION: 'go1.99.0', GOCACHE: cache })),
      stderr: Buffer.from(''),
    } as unknown as Ran;
  };
  const edges: BuildEdges = { env: {}, run, freeBytes: async () => free };
  return { built, edges };
}

describe('building a program of Kubernetes', () => {
  it('stamps the version that the program will tell of itself', async () => {
    const { built, edges } = world();
    await buildProgram(what, edges);
    const flags = built[0]!.find((word) => word.startsWith('-ldflags='));
    expect(flags).toContain('gitVersion=v1.35.8');
    expect(flags).toContain('gitMajor=1');
    expect(flags).toContain('gitMinor=35');
  });

  it('is not begun where there is no room', async () => {
    const { built, edges } = world({ free: 1 << 20 });
    await expect(buildProgram(what, edges)).rejects.toMatchObject({ code: 'cluster/no-space' });
    expect(built).toEqual([]);
  });

  it('that fails shows the end of what Go said, and the room that is left', async () => {
    const { edges } = world({ code: 1, stderr: `${'package\n'.repeat(1000)}cannot find module` });
    const failure = await buildProgram(what, edges).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'cluster/build-failed' });
    expect(String(failure)).toMatch(/cannot find module$/);
  });

  it('tells how many packages were built, in hundreds', async () => {
    const { edges } = world({ stderr: 'package\n'.repeat(250) });
    const told: string[] = [];
    await buildProgram(what, edges, { onWaiting: (text) => told.push(text) });
    expect(told.at(-1)).toBe('Go to build kube-apiserver v1.35.8 (200 packages so far)');
  });
});
