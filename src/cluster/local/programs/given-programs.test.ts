import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { KUBE_SERVERS } from '../server-flags.ts';
import { readGivenPrograms } from './given-programs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-given-'));
  for (const name of KUBE_SERVERS) writeFileSync(join(folder, name), '', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const saying =
  (text: string): RunCommand =>
  async () => ({ outcome: 'exited', code: 0, stdout: Buffer.from(text), stderr: '' });

it('the version of a folder is that of its API server', async () => {
  expect(await readGivenPrograms(folder, saying('Kubernetes v1.34.2\n'))).toEqual({ folder, version: 'v1.34.2' });
});

it('a missing or non-executable program is refused by name', async () => {
  rmSync(join(folder, 'etcd'));
  chmodSync(join(folder, 'kube-scheduler'), 0o644);
  await expect(readGivenPrograms(folder, saying('Kubernetes v1.34.2\n'))).rejects.toMatchObject({
    code: 'cluster/no-programs',
    message: `${folder} has no executable etcd, kube-scheduler`,
  });
});

it('programs that do not report a version are refused', async () => {
  for (const text of ['', 'v1.34.2', 'Kubernetes v2.0.0\n'])
    await expect(readGivenPrograms(folder, saying(text))).rejects.toThrow('does not report its version');
});
