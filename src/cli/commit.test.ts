import { describe, expect, it } from 'vitest';
import { commitOf } from './commit.ts';

const HASH = '4d6c40c0aa7c1f3b8d2e5f60718293a4b5c6d7e8';
const OTHER = '0dd458e0aa7c1f3b8d2e5f60718293a4b5c6d7e8';

describe('commitOf', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['a branch', { '/r/.git/HEAD': 'ref: refs/heads/main\n', '/r/.git/refs/heads/main': `${HASH}\n` }, HASH],
    ['a detached HEAD', { '/r/.git/HEAD': `${HASH}\n` }, HASH],
    [
      'a packed branch',
      {
        '/r/.git/HEAD': 'ref: refs/heads/main\n',
        '/r/.git/packed-refs': `# pack-refs with: peeled\n${OTHER} refs/heads/other-main\n${HASH} refs/heads/main\n^${OTHER}\n`,
      },
      HASH,
    ],
    [
      'a worktree',
      {
        '/r/.git': 'gitdir: /main/.git/worktrees/r\n',
        '/main/.git/worktrees/r/HEAD': 'ref: refs/heads/side\n',
        '/main/.git/worktrees/r/commondir': '../..\n',
        '/main/.git/refs/heads/side': `${HASH}\n`,
        '/main/.git/refs/heads/main': `${OTHER}\n`,
      },
      HASH,
    ],
    [
      'a submodule, named by a relative path',
      { '/r/.git': 'gitdir: ../.git/modules/r\n', '/.git/modules/r/HEAD': `${HASH}\n` },
      HASH,
    ],
    ['a branch without a commit', { '/r/.git/HEAD': 'ref: refs/heads/main\n' }, undefined],
    ['a folder that is not a checkout', {}, undefined],
    ['a HEAD with invalid content', { '/r/.git/HEAD': 'milk\n' }, undefined],
  ])('reads the commit of %s', (_what, files, expected) => {
    expect(commitOf('/r', (path) => files[path])).toBe(expected);
  });
});
