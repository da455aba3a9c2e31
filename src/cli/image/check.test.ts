import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTAINERD, fileText, KUBELET, manifestText } from '../../image/manifest/manifests.testing.ts';
import { imageCacheFolder } from '../compose/open-cache.ts';
import { runVerb } from '../testing.ts';
import { verb as check } from './check.ts';
import { verb as schema } from './schema.ts';

let top: string;
let file: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'check-'));
  file = join(top, 'image.yaml');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('image check', () => {
  it('accepts a valid manifest, with warnings', async () => {
    writeFileSync(file, manifestText(`${CONTAINERD.replace('1.7.24-1', '1.7.2-1')}${KUBELET}`));
    const ran = await runVerb(check, ['-f', file]);
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/warning {2}containerd .*RELEASES\.md[\s\S]* is valid, with 4 warnings\n$/),
    });
  });

  it('prints and counts a warning for several images once', async () => {
    const { stdout } = await runVerb(check, ['-f', 'examples/image/image.yaml']);
    const lines = stdout.split('\n').filter((line) => line.startsWith('warning  '));
    expect(lines.some((line) => /\(Kubernetes [\d.]+, [\d.]+\)/.test(line))).toBe(true);
    expect(stdout).toMatch(new RegExp(`is valid, with ${lines.length} warnings\n$`));
  });

  it('prints every problem, and exits 3', async () => {
    writeFileSync(file, manifestText(KUBELET.replace('kind: binary', 'kind: program').replace('licence', 'licens')));
    const ran = await runVerb(check, ['-f', file]);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('problem  line 8: components[0].kind');
    expect(ran.stdout).toMatch(/No image can be built from .*: \d problems?\.\nnext: .*headstart image schema.*\n$/);
  });

  it('reports incompatible versions as one JSON document', async () => {
    writeFileSync(
      file,
      manifestText(`${KUBELET}${fileText('flags', '/etc/default/kubelet', '--container-runtime=remote')}`),
    );
    const ran = await runVerb(check, ['-f', file, '--json']);
    expect(ran.code).toBe(3);
    const { findings, ...rest } = JSON.parse(ran.stdout);
    const document = { apiVersion: 'headstart.dev/v1', kind: 'ImageManifestCheck' };
    expect(rest).toMatchObject({ ...document, isRight: false, problems: [] });
    expect(findings.filter(({ severity }: { severity: string }) => severity === 'error')).toMatchObject([
      { rule: 'kubelet/removed-flags', component: 'flags', kubernetes: '1.35.8' },
    ]);
  });

  it('exits 2 without a manifest', async () => {
    expect(await runVerb(check, ['-f', join(top, 'none.yaml')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('image/no-manifest'),
    });
  });

  it('lists the rules with their sources', async () => {
    const ran = await runVerb(check, ['--rules', '--json']);
    expect(JSON.parse(ran.stdout).rules).toContainEqual(
      expect.objectContaining({ id: 'containerd/cri', source: expect.stringContaining('KEP-4033') }),
    );
  });
});

describe('image schema', () => {
  it('prints the JSON Schema', async () => {
    expect(JSON.parse((await runVerb(schema, [])).stdout)).toMatchObject({
      title: expect.stringContaining('ImageManifest'),
    });
  });
});

describe('imageCacheFolder', () => {
  it('follows the option, the environment and the XDG specification, in this order', () => {
    expect(imageCacheFolder({ cache: '/a' }, { HEADSTART_CACHE: '/b' })).toBe('/a');
    expect(imageCacheFolder({}, { HEADSTART_CACHE: '/b' })).toBe('/b/image');
    expect(imageCacheFolder({}, { XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/headstart/image');
    expect(imageCacheFolder({}, { XDG_CACHE_HOME: 'relative', HOME: '/h' })).toBe('/h/.cache/headstart/image');
    expect(() => imageCacheFolder({}, {})).toThrow('no folder for downloads');
  });
});
