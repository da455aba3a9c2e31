import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { ensureFolder, writeClusterRecord } from '../cluster-files.ts';
import { KUBE_SERVERS } from '../server-flags.ts';
import { choosePrograms, type WantedPrograms } from './choose-programs.ts';
import { BUILT_VERSION, PLANE_PROGRAMS, programsFolder } from './programs.ts';

let home: string;
let given: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-choose-'));
  given = join(home, 'given');
  putPrograms(given);
});
afterEach(() => rmSync(home, { recursive: true }));

function putPrograms(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of [...KUBE_SERVERS, 'kubectl']) writeFileSync(join(folder, name), '', { mode: 0o755 });
}

function remember(kubernetes: string, programs: string): void {
  ensureFolder({ home, name: 'lab' });
  writeClusterRecord(
    { home, name: 'lab' },
    {
      ...{ format: 1, createdMs: 1, kubernetes, programs, guestAddress: '168.0.0.10' },
      ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
    },
  );
}

/** The given programs have this version. */
const run: RunCommand = async () => ({
  ...{ outcome: 'exited', code: 0, stderr: '' },
  stdout: Buffer.from('Kubernetes v1.34.2\n'),
});
const cache = () => join(home, 'cache');
const choose = (wanted: WantedPrograms = {}) => choosePrograms({ home, name: 'lab' }, wanted, { cache: cache(), run });

describe('a new cluster', () => {
  it('runs the version that can be built, and builds programs that are not in the cache', async () => {
    const folder = programsFolder(cache(), BUILT_VERSION);
    expect(await choose()).toEqual({ version: BUILT_VERSION, folder, missing: [...PLANE_PROGRAMS] });
    putPrograms(folder);
    expect(await choose()).toEqual({ version: BUILT_VERSION, folder, missing: [] });
  });

  it('runs given programs regardless of the cache', async () => {
    expect(await choose({ programs: given })).toEqual({ version: 'v1.34.2', folder: given, missing: [] });
    expect(await choose({ programs: given, kubernetes: '1.34.2' })).toMatchObject({ version: 'v1.34.2' });
  });

  it('refuses given programs of another version than requested', async () => {
    await expect(choose({ programs: given, kubernetes: '1.35.8' })).rejects.toMatchObject({
      code: 'cluster/other-version',
      message: `the programs in ${given} have Kubernetes version v1.34.2, not v1.35.8`,
    });
  });
});

describe('an existing cluster', () => {
  it('keeps its version and the folder of its programs', async () => {
    remember('v1.34.2', given);
    expect(await choose()).toEqual({ version: 'v1.34.2', folder: given, missing: [] });
  });

  it('refuses a version that it cannot be upgraded to before any build', async () => {
    remember(BUILT_VERSION, given);
    await expect(choose({ programs: given })).rejects.toMatchObject({ code: 'cluster/other-version' });
  });
});
