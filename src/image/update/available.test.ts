import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirrors } from '../fetch/mirrors.ts';
import type { FetchedComponent, Manifest } from '../manifest/manifest.ts';
import { manifestText, SHA } from '../manifest/manifests.testing.ts';
import { readManifest } from '../manifest/read-manifest.ts';
import { sha256Of } from '../testing.ts';
import { listMirrors, readAvailable } from './available.ts';
import { KEYED } from './manifests.testing.ts';

describe('available versions', () => {
  let top: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'available-'));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));
  const fetched = async (components: string): Promise<FetchedComponent[]> => {
    const { components: all }: Manifest = await readManifest(manifestText(components), 'x');
    return all as FetchedComponent[];
  };

  it('are those in the mirror folder that the policy allows', async () => {
    for (const version of ['v1.35.7', 'v1.35.9', 'v1.35.10', 'v1.36.0', 'latest']) {
      mkdirSync(join(top, version));
      if (version !== 'v1.35.10') writeFileSync(join(top, version, 'kubelet'), version);
    }
    const mirrors = createMirrors({ mirrors: new Map([['upstream:kubernetes', top]]), file: 'm', aptLines: [] });
    const available = await listMirrors(await fetched(KEYED), mirrors);
    expect(available.get('kubelet')).toEqual([
      { version: '1.35.10', sources: {} },
      { version: '1.35.9', sources: { amd64: { path: 'v1.35.9/kubelet', sha256: sha256Of('v1.35.9') } } },
    ]);
    const far = createMirrors({
      mirrors: new Map([['upstream:kubernetes', 'https://mirror.test/']]),
      file: 'm',
      aptLines: [],
    });
    expect((await listMirrors(await fetched(KEYED), far)).get('kubelet')).toEqual([]);
  });

  it('are read from a file', async () => {
    const file = join(top, 'versions.yaml');
    writeFileSync(
      file,
      `kubelet:\n  - { version: 1.35.9, sha256: { amd64: ${SHA} } }\n  - { version: 1.35.10, sha256: { amd64: ${SHA} }, path: { amd64: other/kubelet } }\n`,
    );
    const available = await readAvailable(file, await fetched(KEYED));
    expect(available.get('kubelet')).toEqual([
      { version: '1.35.9', sources: { amd64: { path: 'v1.35.9/kubelet', sha256: SHA } } },
      { version: '1.35.10', sources: { amd64: { path: 'other/kubelet', sha256: SHA } } },
    ]);
  });

  it.each(['{', 'kubelet: 7', 'kubelet: [{version: 1.2.3}]', '- a'])('cannot be read from %j', async (text) => {
    writeFileSync(join(top, 'bad.yaml'), text);
    await expect(readAvailable(join(top, 'bad.yaml'), [])).rejects.toMatchObject({ code: 'image/bad-available' });
    await expect(readAvailable(join(top, 'none.yaml'), [])).rejects.toMatchObject({ code: 'image/bad-available' });
  });
});
