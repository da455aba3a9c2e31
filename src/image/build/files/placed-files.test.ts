import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../testing.ts';
import { parsePlaced, placedFiles, renderPlaced } from './placed-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-placed-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('placedFiles', () => {
  it('lists files with their current hash, and links', async () => {
    const from = join(folder, 'kubelet');
    writeFileSync(from, 'a program');
    const placed = await placedFiles([
      { path: 'usr/bin/kubelet', mode: 0o755, from },
      { path: 'etc/own', mode: 0o600, bytes: 'own' },
      { path: 'opt/link', to: '../usr/bin/kubelet' },
      { path: 'opt/folder', mode: 0o755, isFolder: true },
    ]);
    expect(placed).toEqual([
      { path: '/usr/bin/kubelet', mode: 0o755, sha256: sha256Of('a program') },
      { path: '/etc/own', mode: 0o600, sha256: sha256Of('own') },
      { path: '/opt/link', to: '../usr/bin/kubelet' },
    ]);
  });

  it('renders sorted paths, the last of duplicates only, and parses them back', () => {
    const text = renderPlaced([
      { path: '/b', mode: 0o644, sha256: 'shared' },
      { path: '/c', to: 'b' },
      { path: '/a', mode: 0o755, sha256: 'a' },
      { path: '/b', mode: 0o600, sha256: 'own' },
    ]);
    expect(parsePlaced(text)).toEqual([
      { path: '/a', mode: 0o755, sha256: 'a' },
      { path: '/b', mode: 0o600, sha256: 'own' },
      { path: '/c', to: 'b' },
    ]);
  });

  it.each(['', '{}', '{"apiVersion": "headstart.dev/v1", "kind": "ImageFiles", "files": [{"path": "etc/a"}]}'])(
    'refuses to parse %j',
    (text) => {
      expect(() => parsePlaced(text)).toThrow();
    },
  );
});
