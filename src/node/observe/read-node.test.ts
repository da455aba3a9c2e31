import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RELEASE_FILE } from './facts.ts';
import { readMachine, readOverrides, readRelease } from './read-node.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-node-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const release = {
  apiVersion: 'headstart.dev/v1',
  kind: 'ImageRelease',
  name: 'debian-12',
  version: '1.34.2-2026.11.16',
  kubernetesVersion: '1.34.2',
  builtBy: 'a newer builder says more',
};

describe('the release file of the image', () => {
  it('gives the versions on the image', () => {
    put(RELEASE_FILE, JSON.stringify(release));
    expect(readRelease(root)).toEqual({
      name: 'debian-12',
      version: '1.34.2-2026.11.16',
      kubernetesVersion: '1.34.2',
      configApiVersions: ['headstart.dev/v1alpha1', 'headstart.dev/v1'],
      cniBinDir: '/opt/cni/bin',
      defaults: {},
      signers: [],
    });
  });

  it.each([
    ['missing', undefined, 'does not exist'],
    ['empty', '\n', 'is empty'],
    ['cut off', '{"apiVersion": "headstart.dev/v1", ', 'is not JSON'],
    [
      'without a version',
      JSON.stringify({ ...release, kubernetesVersion: undefined }),
      'kubernetesVersion: is missing',
    ],
    ['of another kind', '{"kind": "Pod"}', 'is invalid'],
    ['a list', '[]', 'is invalid'],
  ])('is refused with its path if it is %s', (_, content, why) => {
    if (content !== undefined) put(RELEASE_FILE, content);
    expect(() => readRelease(root)).toThrow(
      expect.objectContaining({ code: 'config/release-unreadable', message: expect.stringContaining(why) }),
    );
    expect(() => readRelease(root)).toThrow(join(root, RELEASE_FILE));
  });
});

describe('overrides', () => {
  it('are read in the order of their names, with the local override last', () => {
    put('etc/headstart/node.d/20-b.yaml', 'b');
    put('etc/headstart/node.d/10-a.json', 'a');
    put('etc/headstart/node.d/.hidden.yaml', 'x');
    put('etc/headstart/node.d/notes.txt', 'x');
    put('etc/headstart/node.d/30-c.yaml~', 'x');
    put('etc/headstart/node-override.yaml', 'c');
    expect(readOverrides(root).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['etc/headstart/node.d/10-a.json', 'a'],
      ['etc/headstart/node.d/20-b.yaml', 'b'],
      ['etc/headstart/node-override.yaml', 'c'],
    ]);
  });

  it('are optional', () => {
    expect(readOverrides(root)).toEqual([]);
  });

  it('are refused if they are links, not files or too large', () => {
    put('secret', 'x');
    mkdirSync(join(root, 'etc/headstart/node.d'), { recursive: true });
    symlinkSync(join(root, 'secret'), join(root, 'etc/headstart/node.d/10.yaml'));
    expect(() => readOverrides(root)).toThrow(/it is a link/);
    rmSync(join(root, 'etc/headstart/node.d/10.yaml'));
    mkdirSync(join(root, 'etc/headstart/node.d/20.yaml'));
    expect(() => readOverrides(root)).toThrow(/it is not a file/);
    rmSync(join(root, 'etc/headstart/node.d/20.yaml'), { recursive: true });
    put('etc/headstart/node.d/30.yaml', 'x'.repeat((1 << 20) + 1));
    expect(() => readOverrides(root)).toThrow(expect.objectContaining({ code: 'config/not-readable' }));
  });
});

describe('the machine', () => {
  it('has CPUs and memory', () => {
    const { cpus, memoryBytes } = readMachine();
    expect(cpus).toBeGreaterThanOrEqual(1);
    expect(memoryBytes).toBeGreaterThan(2 ** 20);
  });
});
