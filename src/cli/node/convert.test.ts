import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anyDocument } from '../../node/document/documents.testing.ts';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-convert-'));
afterAll(() => rmSync(folder, { recursive: true }));

const document = {
  apiVersion: 'headstart.dev/v1',
  kind: 'NodeConfig',
  metadata: { generation: 1 },
  spec: {
    kubernetes: { version: '1.34.2' },
    labels: { a: '0644' },
    os: { sysctls: { 'vm.swappiness': '1' } },
    update: { jitter: '90.5s' },
  },
};
const convert = (stdin: string, ...more: string[]) => run(['node', 'convert', '-', ...more], { stdin });

describe('headstart node convert', () => {
  it('prints the document in the other version, and notes the fields in metadata.extra', async () => {
    const { code, stdout, stderr } = await convert(JSON.stringify(document), '--to', 'v1alpha1');
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({
      apiVersion: 'headstart.dev/v1alpha1',
      spec: {
        kubelet: { labels: { a: '0644' } },
        os: { sysctls: [{ name: 'vm.swappiness', value: '1' }] },
        update: { jitterSeconds: 91 },
      },
    });
    expect(stderr).toContain('kept under metadata.extra');
    const back = await convert(stdout, '--format', 'json');
    expect(JSON.parse(back.stdout)).toEqual(document);
  });

  it('can read back any document that it prints', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument('headstart.dev/v1'), async (any) => {
        const { stdout } = await convert(JSON.stringify(any), '--to', 'v1alpha1');
        expect(JSON.parse((await convert(stdout, '--format', 'json')).stdout)).toEqual(any);
      }),
      { numRuns: 25 },
    );
  });

  it('signs the document, and removes a signature that is no longer valid', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = join(folder, 'key.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const signed = await convert(JSON.stringify(document), '--sign', key, '--format', 'json');
    expect(JSON.parse(signed.stdout).signature.ed25519).toMatch(/^[A-Za-z0-9+/]{86}==$/);

    const [config, release] = [join(folder, 'config.json'), join(folder, 'release.json')];
    writeFileSync(config, signed.stdout);
    const signers = [publicKey.export({ type: 'spki', format: 'pem' })];
    const facts = {
      apiVersion: 'headstart.dev/v1',
      kind: 'ImageRelease',
      name: 'a',
      version: '1',
      kubernetesVersion: '1.34.2',
    };
    writeFileSync(release, JSON.stringify({ ...facts, signers }));
    expect((await run(['node', 'check', config, '--release', release])).code).toBe(0);
    writeFileSync(config, readFileSync(config, 'utf8').replace('0644', '0666'));
    expect((await run(['node', 'check', config, '--release', release])).stdout).toContain('config/signature-invalid');

    const unsigned = await convert(signed.stdout);
    expect(parse(unsigned.stdout)).not.toHaveProperty('signature');
    expect(unsigned.stderr).toContain('the signature was removed');
  });

  it.each([
    ['{"kind": "Pod"}', [], 'config/unsupported-version'],
    ['[1]', [], 'config/not-a-node-config'],
    ['{"a": ', [], 'config/truncated'],
    [JSON.stringify(document), ['--to', 'v9'], 'node/bad-api-version'],
    [JSON.stringify(document), ['--format', 'xml'], 'node/bad-option'],
    [JSON.stringify(document), ['--sign', '/dev/null'], 'node/document-unreadable'],
    [JSON.stringify(document), ['--sign', join(folder, 'none')], 'node/no-document'],
  ])('exits 2 for %.20s with %j', async (stdin, more, codeText) => {
    const { code, stdout, stderr } = await convert(stdin, ...more);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(codeText);
  });
});
