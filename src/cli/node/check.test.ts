import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-check-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `${files++}.yaml`);
  writeFileSync(path, content);
  return path;
}

const right =
  'apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 7}\nspec: {kubernetes: {version: 1.34.2}}\n';
const withSpec = (spec: string) => right.replace('1.34.2}', `1.34.2}, ${spec}`);
const check = (content: string | Uint8Array, ...more: string[]) => run(['node', 'check', file(content), ...more]);

describe('headstart node check', () => {
  it('exits 0 for a document that a node accepts, as text or as delivered', async () => {
    for (const content of [right, gzipSync(right), Buffer.from(right).toString('base64')]) {
      const { code, stdout } = await check(content);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/is valid: generation 7, sha256 [0-9a-f]{64}, \d+ bytes\n$/),
      ]);
    }
    const piped = await run(['node', 'check', '-'], { stdin: right });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('- is valid: generation 7') });
  });

  it('exits 3 and prints every problem with its path', async () => {
    const { code, stdout } = await check(withSpec('kubelet: {maxPods: 0, maxpods: 1}, update: {jitter: 5}'));
    expect(code).toBe(3);
    expect(stdout).toBe(
      [
        'problem  spec.kubelet.maxPods: 0 is below 1',
        'problem  spec.update.jitter: expected text, got 5',
        'problem  spec.kubelet.maxpods: is not a field of this version (did you mean maxPods?)',
        `A node would not accept ${join(folder, `${files - 1}.yaml`)}: 3 problems.`,
        'next:  correct the document; `headstart node schema --fields` lists the fields',
        'code:  config/invalid',
        '',
      ].join('\n'),
    );
  });

  it.each([[], ['--strict']])(
    'refuses a field that a node would ignore, and names the nearest field (%s)',
    async (...more) => {
      const { code, stdout } = await check(withSpec('kublet: {maxPods: 30}'), ...more.filter(Boolean));
      expect(code).toBe(3);
      expect(stdout).toContain('problem  spec.kublet: is not a field of this version (did you mean kubelet?)');
      expect(stdout).toMatch(/ has a field that a node would ignore: 1 problem\.\nnext: .*--lenient/);
      expect(stdout).toContain('code:  config/unknown-field');
    },
  );

  it('accepts an unknown field with --lenient, like a node, with a warning', async () => {
    const { code, stdout } = await check(withSpec('kublet: {maxPods: 30}'), '--lenient');
    expect(code).toBe(0);
    expect(stdout).toContain('warning  spec.kublet: is not a field of this version (did you mean kubelet?)');
    expect(stdout).toContain('is valid: generation 7');
  });

  it.each([
    ['maxPods: 30', 'spec.maxPods', ' (did you mean spec.kubelet.maxPods?)'],
    ['taints: [{key: a, efect: NoSchedule}]', 'spec.taints[0].efect', ' (did you mean effect?)'],
    ['files: {/etc/motd: {content: x, mod: "0644"}}', 'spec.files["/etc/motd"].mod', ' (did you mean mode?)'],
    ['gpu: {}', 'spec.gpu', ''],
  ])('names the path of the unknown field in %s', async (spec, path, meant) => {
    expect((await check(withSpec(spec))).stdout).toContain(`${path}: is not a field of this version${meant}\n`);
  });

  it('checks the document against an image: its version, its defaults, its signers', async () => {
    const release = {
      apiVersion: 'headstart.dev/v1',
      kind: 'ImageRelease',
      name: 'a',
      version: '1',
      kubernetesVersion: '1.34.2',
    };
    const image = (more: object) => ['--release', file(JSON.stringify({ ...release, ...more }))];
    expect((await check(right, ...image({}))).code).toBe(0);
    expect((await check(right, ...image({ kubernetesVersion: '1.35.1' }))).stdout).toContain(
      'expected 1.35.1, the version on this image, got 1.34.2',
    );
    expect((await check(right, ...image({ defaults: { labels: { a: 'b' } } }), '--values')).stdout).toMatch(
      /image defaults +spec\.labels\.a +"b"/,
    );
    expect((await check(right, ...image({ signers: ['x'] }))).stdout).toContain('config/signature-missing');
    expect((await check(right, '--kubernetes-version', '1.33.0')).code).toBe(3);
  });

  it('evaluates expressions for the given machine', async () => {
    const content = withSpec("kubelet: {maxPods: '= cpu - 4'}");
    expect((await check(content)).stdout).toContain('is 0 on this machine, below the minimum 1');
    expect((await check(content, '--cpus', '8', '--memory', '32Gi')).code).toBe(0);
  });

  it('prints the origin of each value, and no secret', async () => {
    const override = file(
      right.replace('metadata: {generation: 7}\n', '').replace(/spec:.*/, 'spec: {proxy: {noProxy: [internal]}}'),
    );
    const { stdout } = await check(
      withSpec('proxy: {http: "http://me:hunter2@proxy:3128"}'),
      '--override',
      override,
      '--values',
    );
    expect(stdout).toMatch(/userData +spec\.proxy\.http +"\[secret\]"/);
    expect(stdout).toContain(override);
    expect(stdout).not.toContain('hunter2');
  });

  it('warns about a document that is close to the limit, and accepts one that only fits compressed', async () => {
    const long = (length: number) =>
      withSpec(`files: {/etc/a: {content: "${'ab '.repeat(5000)}"}, /etc/b: {content: "${'cd '.repeat(length / 3)}"}}`);
    expect((await check(long(16_000) + '#'.repeat(12_000))).stdout).toContain('it is close to the limit');
    expect(await check(long(16_000) + '#'.repeat(40_000))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('it only fits compressed'),
    });
  });

  it.each([
    ['none.yaml', 'does not exist'],
    ['.', 'it is not a file'],
    ['link', 'it is a link'],
  ])('exits 2 if the document cannot be read: %s', async (name, text) => {
    if (name === 'link') symlinkSync(file(right), join(folder, 'link'));
    const { code, stdout, stderr } = await run(['node', 'check', join(folder, name)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });

  it.each([
    ['--cpus', '0'],
    ['--cpus', 'many'],
    ['--memory', '16 apples'],
  ])('exits 2 for %s %s', async (option, value) => {
    expect((await check(right, option, value)).code).toBe(2);
  });
});
