// `make release` in scratch repositories with the real git and make.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('release.ts', import.meta.url));
const NO_TAG = 'No tag was made and nothing was pushed.';
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-19\n\n### Added\n\n- A verb.\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-release-'));
  git('init', '--quiet', '--initial-branch=main');
  writeVersion('1.2.0');
  write('CHANGELOG.md', CHANGELOG);
  write('Makefile', 'test:\n\t@echo tested\n');
  commit();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The user's own settings must not matter: no signed tags, no hooks. */
const env = {
  ...{ PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' },
};
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const commit = () => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
};
const writeVersion = (version: string) => {
  write('package.json', JSON.stringify({ version }));
  write('package-lock.json', JSON.stringify({ version, packages: { '': { version } } }));
};
const release = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' });
const tags = () => git('tag', '--list').split('\n').filter(Boolean);

describe('make release', () => {
  it('runs the tests, tags HEAD with the notes, and says what to push', () => {
    const { status, stdout } = release();
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^== make test\ntested\n\nThe tag v1\.2\.0 is on [0-9a-f]{12}\. Nothing was pushed\. Next:\n/,
    );
    expect(stdout).toContain('git push origin main v1.2.0 ');
    expect(git('rev-parse', 'v1.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('cat-file', '-t', 'v1.2.0')).toBe('tag\n');
    expect(git('tag', '--list', '--format=%(contents)')).toBe('headstart v1.2.0\n\n### Added\n\n- A verb.\n\n');
  });

  it('changes nothing with --dry-run, and prints what it would do', () => {
    const { status, stdout } = release('--dry-run');
    expect({ status, tags: tags() }).toEqual({ status: 0, tags: [] });
    expect(stdout).toMatch(
      /^v1\.2\.0 can be released from [0-9a-f]{12}\. Without DRY_RUN=1:\n\n {2}make test\n {2}git tag /,
    );
    expect(stdout).toContain('- A verb.');
    expect(stdout).not.toContain('tested');
  });

  const REFUSED: readonly (readonly [what: string, change: () => void, error: string])[] = [
    ['a changed file', () => write('Makefile', 'test:\n'), 'the tree has changes: Makefile'],
    ['a file that git does not know', () => write('new', ''), 'the tree has changes: new'],
    ['another branch', () => git('switch', '--quiet', '--create', 'feature'), 'HEAD is on feature, not on main'],
    ['no branch', () => git('switch', '--quiet', '--detach'), 'HEAD is detached, not on main'],
    ['a tag of that version', () => git('tag', 'v1.2.0'), 'the tag v1.2.0 already exists'],
    ['a newer tag', () => git('tag', 'v1.10.0'), '1.2.0 is older than the released v1.10.0'],
    [
      'a version without an entry',
      () => {
        writeVersion('1.3.0');
        commit();
      },
      'CHANGELOG.md has no entry for 1.3.0',
    ],
    [
      'changes that are not in the entry',
      () => {
        write('CHANGELOG.md', CHANGELOG.replace('## Unreleased', '## Unreleased\n\n- More.'));
        commit();
      },
      'CHANGELOG.md has changes under "## Unreleased"',
    ],
    [
      'another version in a copy',
      () => {
        write('package-lock.json', JSON.stringify({ version: '1.2.0', packages: { '': { version: '1.1.0' } } }));
        mkdirSync(join(folder, 'charts/one'), { recursive: true });
        write('charts/one/Chart.yaml', 'version: 9.9.9\nappVersion: 1.1.0\n');
        commit();
      },
      'charts/one/Chart.yaml has the version 1.1.0, package.json has 1.2.0',
    ],
  ];

  it.each(REFUSED)('refuses %s', (_, change, error) => {
    change();
    const before = tags();
    for (const args of [[], ['--dry-run']]) {
      const { status, stdout, stderr } = release(...args);
      expect({ status, stdout, tags: tags() }).toEqual({ status: 2, stdout: '', tags: before });
      expect(stderr).toContain(`error: ${error}\n       ${NO_TAG}\nnext:  `);
    }
  });

  it('refuses a tree whose tests fail', () => {
    write('Makefile', 'test:\n\t@echo 1 failed; false\n');
    commit();
    const { status, stderr } = release();
    expect({ status, tags: tags() }).toEqual({ status: 1, tags: [] });
    expect(stderr).toContain(`error: make test failed (exit code 2)\n       ${NO_TAG}\nnext:  fix what failed`);
  });

  it.each([
    ['leave changes', '\t@echo left > left', 1, 'error: the tree has changes: left'],
    ['commit something', '\t@git commit --quiet --allow-empty --message y', 1, 'during the tests'],
  ])('refuses tests that %s', (_, line, code, error) => {
    write('Makefile', `test:\n${line}\n`);
    commit();
    const { status, stderr } = release();
    expect({ status, tags: tags() }).toEqual({ status: code, tags: [] });
    expect(stderr).toContain(error);
  });

  it('refuses a folder that is no repository, and unknown arguments', () => {
    expect(release('--dryrun')).toMatchObject({ status: 2, stderr: expect.stringContaining('unknown arguments') });
    rmSync(join(folder, '.git'), { recursive: true });
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('git rev-parse failed') });
  });
});

describe('the notes of a tag', () => {
  it('are printed if the tag is the one of the version', () => {
    expect(release('--notes', 'v1.2.0')).toMatchObject({ status: 0, stdout: '### Added\n\n- A verb.\n' });
    expect(release('--notes', 'v1.2.1')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('the tag is v1.2.1, but package.json has the version 1.2.0, expected v1.2.0'),
    });
  });
});
