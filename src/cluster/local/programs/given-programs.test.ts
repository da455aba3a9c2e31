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

it('a folder with all programs is of the version that its API server tells', async () => {
  expect(await readGivenPrograms(folder, saying('Kubernetes v1.34.2\n'))).toEqual({ folder, version: 'v1.34.2' });
});

it('a folder without one of them is refused by its name, and so is one that cannot be run', async () => {
  rmSync(join(folder, 'etcd'));
  chmodSync(join(folder, 'kube-scheduler'), 0o644);
  await expect(readGivenPrograms(folder, saying('Kubernetes v1.34.2\n'))).rejects.toMatchObject({
    code: 'cluster/no-programs',
    message: `${folder} has no executable etcd, kube-scheduler`,
  });
});

it('programs that do not tell a version are refused', async () => {
  for (const text of ['', 'v1.34.2', 'Kubernetes v2.0.0\n'])
    await expect(readGivenPrograms(folder, saying(text))).rejects.toThrow('does not report its version');
});
