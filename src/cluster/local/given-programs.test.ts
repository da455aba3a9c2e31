import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { readGivenPrograms } from './given-programs.ts';
import { KUBE_SERVERS } from './server-flags.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-given-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const answering = (stdout: string) => (async () => ({ stdout: Buffer.from(stdout) })) as unknown as RunCommand;
const fill = () => {
  for (const name of KUBE_SERVERS) writeFileSync(join(folder, name), '', { mode: 0o755 });
};

describe('a folder of programs that a person names', () => {
  it('says which version the programs are', async () => {
    fill();
    expect(await readGivenPrograms(folder, answering('Kubernetes v1.35.8\n'))).toEqual({ folder, version: 'v1.35.8' });
  });

  it('without one of them is refused with its name, and nothing is run', async () => {
    fill();
    rmSync(join(folder, 'kube-scheduler'));
    const neverRun = (async () => expect.fail('a program was run')) as unknown as RunCommand;
    await expect(readGivenPrograms(folder, neverRun)).rejects.toThrow('has no kube-scheduler that can be run');
  });

  it.each(['', 'v1.35.8', 'Kubernetes v2', 'Kubernetes v1.35'])(
    'whose API server answers %j is refused',
    async (text) => {
      fill();
      await expect(readGivenPrograms(folder, answering(text))).rejects.toMatchObject({ code: 'cluster/no-programs' });
    },
  );
});
