import { describe, expect, it } from 'vitest';
import { Secret } from '../../../base/secret.ts';
import { KUBECONFIG_PATH } from '../../desired/aspects/join.ts';
import type { ObservedPath, PlanStep } from '../../desired/tree.ts';
import type { NodeDisk } from '../disk.ts';
import { removeStaged, stage, stagedPath, unstage } from './stage.ts';

/** `there`: the existing files. */
function aWorld(there: Record<string, ObservedPath> = {}) {
  const done: string[] = [];
  const record = (op: string) => (path: string) => void done.push(`${op} ${path}`);
  const disk = {
    create: (path: string, bytes: Uint8Array) => done.push(`create ${path} ${Buffer.from(bytes)}`),
    makeLink: record('makeLink'),
    makeFolder: record('makeFolder'),
    remove: record('remove'),
    removeFolder: record('removeFolder'),
    syncFiles: async (paths: readonly string[]) => void done.push(`sync ${paths.join(' ')}`),
  } as unknown as NodeDisk;
  const host = { at: (path: string): ObservedPath => there[path] ?? { kind: 'absent' } };
  return { done, deps: { disk, host: host as never } };
}
const RIGHTS = { mode: 0o600, uid: 0, gid: 0 };
const write = (path: string, content: string | Secret): PlanStep => ({
  do: 'write-file',
  path,
  ...RIGHTS,
  content,
  encoding: 'utf8',
});
const [A, B] = ['/etc/a', '/etc/b'];
const file = (content: string | Secret, over: object = {}): ObservedPath => ({
  kind: 'file',
  ...RIGHTS,
  content,
  encoding: 'utf8',
  ...over,
});

describe('stage', () => {
  it('writes new files next to the old ones and syncs them', async () => {
    const { done, deps } = aWorld();
    const staged = await stage([{ do: 'make-folder', path: '/etc' }, write(A, 'one'), write(B, 'two')], deps);
    expect([...staged]).toEqual([
      [A, stagedPath(A)],
      [B, stagedPath(B)],
    ]);
    expect(done).toEqual([
      'makeFolder /etc',
      `create ${stagedPath(A)} one`,
      `create ${stagedPath(B)} two`,
      `sync ${stagedPath(A)} ${stagedPath(B)}`,
    ]);
  });

  it('skips files that are up to date, including secrets', async () => {
    const { deps } = aWorld({ [A]: file(new Secret('one')) });
    expect((await stage([write(A, new Secret('one'))], deps)).size).toBe(0);
  });

  it.each([
    ['content', file('other')],
    ['mode', file('one', { mode: 0o644 })],
    ['owner', file('one', { uid: 7 })],
    ['group', file('one', { gid: 7 })],
    ['kind', { kind: 'link', target: 'one' } as const],
  ])('writes a file with a different %s', async (_, seen) => {
    const { deps } = aWorld({ [A]: seen });
    expect((await stage([write(A, 'one')], deps)).size).toBe(1);
  });

  it('replaces a link with a different target', async () => {
    const link: PlanStep = { do: 'make-link', path: A, target: '/dev/null' };
    expect((await stage([link], aWorld({ [A]: { kind: 'link', target: '/dev/null' } }).deps)).size).toBe(0);
    expect((await stage([link], aWorld({ [A]: { kind: 'link', target: '/etc/x' } }).deps)).size).toBe(1);
  });

  it('uses one hidden path for each file, in the same folder', () => {
    expect(stagedPath(A)).toMatch(/^\/etc\/\.headstart-[0-9a-f]{16}\.new$/);
    expect(stagedPath(A)).not.toBe(stagedPath(B));
  });
});

describe("kubelet's kubeconfig", () => {
  const step: PlanStep = { do: 'set', kind: 'kubeconfig', key: '', value: 'https://10.0.0.2:6443' };
  const text = (server: string) => `apiVersion: v1\nclusters:\n- cluster:\n    server: ${server}\n`;

  it('gets a new address, and is skipped if it has it already', async () => {
    const { done, deps } = aWorld({ [KUBECONFIG_PATH]: file(text('https://10.0.0.1:6443')) });
    expect((await stage([step], deps)).get(KUBECONFIG_PATH)).toBe(stagedPath(KUBECONFIG_PATH));
    expect(done[0]).toContain('server: https://10.0.0.2:6443');
    const right = aWorld({ [KUBECONFIG_PATH]: file(text('https://10.0.0.2:6443')) });
    expect((await stage([step], right.deps)).size).toBe(0);
  });

  it('is not replaced if it is not a file', async () => {
    await expect(stage([step], aWorld().deps)).rejects.toMatchObject({ code: 'apply/write-failed' });
  });
});

describe('staged files', () => {
  it('are removed with the new folders, inner folders first', () => {
    const { done, deps } = aWorld();
    unstage(
      [{ do: 'make-folder', path: '/etc/x' }, { do: 'make-folder', path: '/etc/x/y' }, write(A, '1'), { do: 'drain' }],
      deps.disk,
    );
    expect(done).toEqual([`remove ${stagedPath(A)}`, 'removeFolder /etc/x/y', 'removeFolder /etc/x']);
  });

  it('are removed without the folders if some steps were executed', () => {
    const { done, deps } = aWorld();
    const kubeconfig: PlanStep = { do: 'set', kind: 'kubeconfig', key: '', value: 'x' };
    removeStaged([{ do: 'make-folder', path: '/etc/x' }, write(A, '1'), kubeconfig], deps.disk);
    expect(done).toEqual([`remove ${stagedPath(A)}`, `remove ${stagedPath(KUBECONFIG_PATH)}`]);
  });
});
