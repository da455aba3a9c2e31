import { execFileSync } from 'node:child_process';
import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { nodeReader } from './read-node.ts';
import { renderFrame } from './run-frame.ts';
import { clientOf } from './testing.ts';

/** Runs the command of the pod on this machine, without nsenter, or returns a fixed log. */
function world(log?: string) {
  let pod: V1Pod | undefined;
  let printed = '';
  const core = {
    readNode: async ({ name }: { name: string }) => ({ metadata: { name } }),
    readNamespacedPod: async () => pod,
    createNamespacedPod: async ({ body }: { body: V1Pod }) => {
      const [shell, ...args] = body.spec!.containers[0]!.args!;
      printed = log ?? execFileSync(shell!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      pod = { ...body, status: { phase: 'Succeeded' } };
    },
    deleteNamespacedPod: async () => {
      pod = undefined;
    },
    readNamespacedPodLog: async () => printed,
  };
  const reader = nodeReader(clientOf(core, {}, { clock: fakeClock() }), { image: 'i' });
  return { reader, isThere: () => pod !== undefined };
}
const read = (script: string, log?: string) => {
  const { reader, isThere } = world(log);
  const output = reader.runReadOnly('n1', script, { deadlineMs: 1000 });
  return { output, isThere };
};

describe('nodeReader', () => {
  it('returns any bytes that the script prints, and leaves no pod', async () => {
    const { output, isThere } = read(
      "trap 'printf end' EXIT\nprintf 'a\\0\\377b\\n'; head -c 100000 /dev/zero; exit 3",
    );
    expect(await output).toEqual(
      Buffer.concat([Buffer.from([0x61, 0, 0xff, 0x62, 10]), Buffer.alloc(100_000), Buffer.from('end')]),
    );
    expect(isThere()).toBe(false);
  });

  it.each([
    ['nsenter: failed to execute /bin/sh: No such file or directory\n', 'cluster/read-failed', 'No such file'],
    [renderFrame({ exitCode: 127, stdout: '', stderr: 'sh: gzip: not found' }), 'cluster/read-failed', 'gzip'],
    [renderFrame({ exitCode: 0, stdout: 'no gzip', stderr: '' }), 'cluster/run-cut', 'damaged'],
    ['x'.repeat(5000), 'cluster/run-cut', 'incomplete'],
  ])('says why the output %j cannot be used', async (log, code, text) => {
    const { output, isThere } = read('true', log);
    await expect(output).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    expect(isThere()).toBe(false);
  });

  it('gives the Node as a document with its kind', async () => {
    expect(JSON.parse((await world().reader.readObject('n1'))!)).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
    });
  });
});
