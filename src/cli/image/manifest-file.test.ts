import { expect, it } from 'vitest';
import type { Manifest } from '../../image/manifest/manifest.ts';
import { architectureOf, lockFileOf, readManifestText } from './manifest-file.ts';

const manifest = { architectures: ['amd64', 'arm64'] } as unknown as Manifest;

it('architectureOf returns the first architecture of the manifest, unless another one is named', () => {
  expect(architectureOf({}, manifest)).toBe('amd64');
  expect(architectureOf({ architecture: 'arm64' }, manifest)).toBe('arm64');
  expect(() => architectureOf({ architecture: 'riscv64' }, manifest)).toThrow(
    expect.objectContaining({ code: 'image/unknown-architecture', next: 'use one of amd64, arm64' }),
  );
});

it('lockFileOf returns the file next to the manifest, unless another one is named', () => {
  expect(lockFileOf(undefined, 'a/image.yaml')).toBe('a/image.lock.json');
  expect(lockFileOf('b.json', 'a/image.yaml')).toBe('b.json');
});

it('readManifestText names an unreadable manifest and the option', () => {
  expect(() => readManifestText('/nowhere/image.yaml')).toThrow(
    expect.objectContaining({ code: 'image/no-manifest', next: expect.stringContaining('-f FILE') }),
  );
});
