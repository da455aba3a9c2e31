import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTarGzip } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildKrew } from './build-krew.ts';

const repository = 'https://code.example/owner/headstart';
const NPM = 'headstart-1.2.0.tgz';
const [X64, ARM64] = ['headstart-1.2.0-linux-x64', 'headstart-1.2.0-linux-arm64'];

let root: string;
let folder: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'headstart-krew-'));
  folder = join(root, 'out');
  mkdirSync(folder);
  writeFileSync(join(root, 'package.json'), '{"version": "1.2.0"}');
  writeFileSync(join(root, 'LICENSE'), 'our licence\n');
  const licences = { name: 'package/LICENSES-OF-DEPENDENCIES.txt', data: '== used\n\nits licence\n' };
  writeFileSync(join(folder, NPM), await createTarGzip([licences]));
  for (const name of [X64, ARM64]) writeFileSync(join(folder, name), `#!/bin/sh\necho ${name}\n`);
  writeSums();
});
afterEach(() => rmSync(root, { recursive: true }));

const sumOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex');
const writeSums = (...names: string[]) =>
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    (names.length > 0 ? names : [ARM64, X64, NPM]).map((name) => `${sumOf(name)}  ${name}\n`).join(''),
  );
const build = () => buildKrew({ repository, folder, root });

describe('the files for krew', () => {
  it('are an archive of each executable with its licences, the manifest, and all checksums', () => {
    expect(build()).toEqual([`${X64}.tar.gz`, `${ARM64}.tar.gz`, 'headstart.yaml', 'SHA256SUMS']);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder });
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').match(/\S+$/gm)).toEqual([
      ...[ARM64, `${ARM64}.tar.gz`, X64, `${X64}.tar.gz`, NPM, 'headstart.yaml'],
    ]);
    const { platforms } = parse(readFileSync(join(folder, 'headstart.yaml'), 'utf8')).spec;
    expect(platforms.map(({ sha256 }: { sha256: string }) => sha256)).toEqual([
      sumOf(`${X64}.tar.gz`),
      sumOf(`${ARM64}.tar.gz`),
    ]);
    execFileSync('tar', ['-xzf', join(folder, `${ARM64}.tar.gz`), '-C', root]);
    expect(execFileSync(join(root, 'headstart'), { encoding: 'utf8' })).toBe(`${ARM64}\n`);
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toBe('our licence\n');
    expect(readFileSync(join(root, 'LICENSES-OF-DEPENDENCIES.txt'), 'utf8')).toMatch(
      /^== node\n\nNode\.js is licensed(?:.|\n)*== used\n\nits licence\n$/,
    );
  });

  it('are the same bytes when they are made again', () => {
    const bytes = () => build().map((name) => sumOf(name));
    expect(bytes()).toEqual(bytes());
  });

  it.each([
    ['without the files of make dist', () => rmSync(join(folder, 'SHA256SUMS')), /there is no SHA256SUMS/],
    ['without an executable', () => rmSync(join(folder, ARM64)), /linux-arm64 cannot be read/],
    ['when the checksums do not list one', () => writeSums(NPM, X64), /does not list headstart-1\.2\.0-linux-arm64/],
    ['of another build', () => writeFileSync(join(folder, X64), 'x'), /linux-x64 has the SHA-256/],
  ])('are not made %s', (_, change, message) => {
    change();
    expect(build).toThrow(
      expect.objectContaining({ code: 'release/no-krew', message: expect.stringMatching(message) }),
    );
  });

  it.each(['', 'owner/headstart', 'http://code.example/owner/headstart'])('are not made for %j', (address) => {
    expect(() => buildKrew({ repository: address, folder, root })).toThrow(/not the https address/);
  });
});
