import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { krewManifest } from './krew-manifest.ts';

it('the manifest names the archive and the checksum of each architecture', () => {
  const text = krewManifest({
    version: '1.2.0',
    repository: 'https://code.example/owner/headstart/',
    archives: [
      { name: 'headstart-1.2.0-linux-x64.tar.gz', arch: 'amd64', sha256: 'a'.repeat(64) },
      { name: 'headstart-1.2.0-linux-arm64.tar.gz', arch: 'arm64', sha256: '0'.repeat(64) },
    ],
  });
  const { metadata, spec } = parse(text);
  expect(metadata).toEqual({ name: 'headstart' });
  expect(spec).toMatchObject({ version: 'v1.2.0', homepage: 'https://code.example/owner/headstart' });
  expect(spec.platforms).toEqual([
    {
      selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
      uri: 'https://code.example/owner/headstart/releases/download/v1.2.0/headstart-1.2.0-linux-x64.tar.gz',
      sha256: 'a'.repeat(64),
      bin: 'headstart',
    },
    {
      selector: { matchLabels: { os: 'linux', arch: 'arm64' } },
      uri: 'https://code.example/owner/headstart/releases/download/v1.2.0/headstart-1.2.0-linux-arm64.tar.gz',
      sha256: '0'.repeat(64), // a string: YAML would read digits as a number
      bin: 'headstart',
    },
  ]);
});
