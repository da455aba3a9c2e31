import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv, RunCommand } from '../../base/command.ts';
import { createMirrors } from '../fetch/mirrors.ts';
import { sha256Of } from '../testing.ts';
import { type DebRequest, openPackages } from './resolve-debs.ts';

const stanza = (name: string, version: string, more = '') =>
  `Package: ${name}\nVersion: ${version}\n${more}Filename: pool/${name}_${version}.deb\nSize: 12\nSHA256: ${sha256Of(name + version)}\nDescription: x\n`;
const MAIN = [
  stanza('dpkg', '1.21', 'Essential: yes\n'),
  stanza('tzdata', '1', 'Priority: required\n'),
  stanza('containerd', '1.6.20~ds1-1+b2'),
  stanza('runc', '1.1.5'),
].join('\n');
const SECURITY = [stanza('containerd', '1.6.20~ds1-1+deb12u1'), stanza('runc', '1.1.5')].join('\n');
const RELEASE = 'Origin: Debian\nDate: Sat, 14 Nov 2026 08:12:00 UTC\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Fakes apt. `failing` is the word of the command line that makes it fail. */
function fakeApt({ failing = '', code = 100, says = '' } = {}) {
  const calls: string[][] = [];
  const run: RunCommand = async (argv: Argv) => {
    const words = argv.slice(1).filter((word) => !/^[A-Z_]+=/.test(word));
    calls.push(words);
    const answer = (stdout: string) => ({
      outcome: 'exited' as const,
      code: 0,
      stdout: Buffer.from(stdout),
      stderr: '',
    });
    if (failing && words.includes(failing)) return { ...answer(''), code, stderr: says };
    if (words.includes('update')) {
      const lists = join(folder, 'state', 'lists');
      mkdirSync(lists, { recursive: true });
      for (const suite of ['bookworm', 'bookworm-security'])
        writeFileSync(join(lists, `m_dists_${suite}_InRelease`), RELEASE);
      return answer('');
    }
    if (words.includes('indextargets')) return answer('bookworm|/lists/main\nbookworm-security|/lists/security\n');
    if (words.includes('cat-file')) return answer(words.at(-1) === '/lists/main' ? MAIN : SECURITY);
    const asked = words.slice(words.indexOf('install') + 1).map((word) => word.split('=') as [string, string?]);
    const newestOf: Record<string, string> = {
      dpkg: '1.21',
      tzdata: '1',
      containerd: '1.6.20~ds1-1+deb12u1',
      runc: '1.1.5',
    };
    return answer(
      asked.map(([name, version]) => `Inst ${name} (${version ?? newestOf[name]} Debian:12 [amd64])\n`).join(''),
    );
  };
  return { run, calls };
}

const mirrors = createMirrors({
  mirrors: new Map([['debian:bookworm', 'https://me:secret@mirror.test/debian']]),
  file: 'm',
  aptLines: ['deb http://security.test/debian-security bookworm-security main'],
});
const resolve = async (requests: DebRequest[], run: RunCommand, from = mirrors) => {
  const base = { origin: 'debian:bookworm', architecture: 'amd64' } as const;
  return (await openPackages(base, { run, mirrors: from, aptConf: 'Acquire::Retries "3";', folder })).resolve(requests);
};

describe('openPackages', () => {
  it('resolves the named packages and those of every Debian system, with path, hash and size', async () => {
    const { run, calls } = fakeApt();
    const { debs, indices } = await resolve([{ name: 'containerd', version: '*' }], run);
    expect(debs.map(({ name, version, suite, isAsked }) => [name, version, suite, isAsked])).toEqual([
      ['containerd', '1.6.20~ds1-1+deb12u1', 'bookworm-security', true],
      ['dpkg', '1.21', 'bookworm', false],
      ['tzdata', '1', 'bookworm', false],
    ]);
    expect(debs[0]).toMatchObject({
      sha256: sha256Of('containerd1.6.20~ds1-1+deb12u1'),
      bytes: 12,
      path: 'pool/containerd_1.6.20~ds1-1+deb12u1.deb',
    });
    expect(indices).toEqual(
      ['bookworm', 'bookworm-security'].map((suite) => ({
        suite,
        date: '2026-11-14T08:12:00.000Z',
        sha256: sha256Of(RELEASE),
      })),
    );
    expect(calls.at(-1)).toEqual(['apt-get', '--simulate', 'install', 'containerd', 'dpkg', 'tzdata']);
  });

  it.each([
    ['1.6.*', 'containerd=1.6.20~ds1-1+deb12u1'],
    ['1.6.20~ds1-1+b2', 'containerd=1.6.20~ds1-1+b2'],
  ])('chooses the newest version that %s allows', async (version, expected) => {
    const { run, calls } = fakeApt();
    await resolve([{ name: 'containerd', version }], run);
    expect(calls.at(-1)).toContain(expected);
  });

  it('names an unknown package or version, with the available ones', async () => {
    const { run } = fakeApt();
    await expect(resolve([{ name: 'containrd', version: '*' }], run)).rejects.toMatchObject({
      code: 'image/no-such-package',
      message: 'there is no package called containrd (did you mean containerd?)',
    });
    await expect(resolve([{ name: 'containerd', version: '1.7.*' }], run)).rejects.toThrow(
      'version 1.7.* does not exist; available: 1.6.20~ds1-1+b2, 1.6.20~ds1-1+deb12u1',
    );
  });

  it('keeps passwords in files that other users cannot read, out of command lines and errors', async () => {
    const says = 'E: Failed to fetch https://me:secret@mirror.test/debian/dists  404';
    const { run, calls } = fakeApt({ failing: 'update', says });
    const error = (await resolve([], run).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: 'image/packages-not-resolved' });
    expect(error.message).toContain('https://mirror.test/debian/dists  404');
    expect(`${error.message}${calls.flat().join(' ')}`).not.toContain('secret');
    const sources = join(folder, 'etc', 'sources.list');
    expect(readFileSync(sources, 'utf8')).toMatch(
      /me:secret@mirror\.test\/debian bookworm main\n.*security\.test.* bookworm-security main\n$/s,
    );
    expect(statSync(sources).mode & 0o777).toBe(0o600);
  });

  it('reports a missing apt, and packages that conflict', async () => {
    await expect(resolve([], fakeApt({ failing: 'update', code: 127 }).run)).rejects.toMatchObject({
      code: 'image/no-apt',
    });
    const { run } = fakeApt({
      failing: 'install',
      says: 'E: Unable to correct problems, you have held broken packages.',
    });
    await expect(resolve([], run)).rejects.toThrow(
      'cannot be installed together (exited): E: Unable to correct problems',
    );
  });

  it('fails without a mirror for the base', async () => {
    const none = createMirrors({ mirrors: new Map(), file: 'm', aptLines: [] });
    await expect(resolve([], fakeApt().run, none)).rejects.toMatchObject({ code: 'image/no-mirror' });
  });
});
