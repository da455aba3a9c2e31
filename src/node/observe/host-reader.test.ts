import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { createHostReader, type HostReader } from './host-reader.ts';

let root: string;
let host: HostReader;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-look-'));
  host = createHostReader(root, async () => ({ outcome: 'missing', code: null, stdout: Buffer.alloc(0), stderr: '' }));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

describe('the host reader', () => {
  it('reads a file with its content, mode and owner', () => {
    put('/etc/a', 'text\n', 0o640);
    expect(host.at('/etc/a', false)).toEqual({
      kind: 'file',
      content: 'text\n',
      encoding: 'utf8',
      mode: 0o640,
      uid: process.getuid?.(),
      gid: process.getgid?.(),
    });
  });

  it('keeps binary content byte for byte', () => {
    put('/etc/a', Uint8Array.of(0xff, 0, 0x80));
    expect(host.at('/etc/a', false)).toMatchObject({ content: '/wCA', encoding: 'base64' });
  });

  it('wraps secrets', () => {
    put('/etc/a', 'hidden');
    const seen = host.at('/etc/a', true);
    expect(seen).toMatchObject({ content: expect.any(Secret) });
    expect(JSON.stringify(seen)).not.toContain('hidden');
  });

  it('follows no link, neither at the path nor in a parent folder', () => {
    put('/etc/real/a', 'x');
    symlinkSync('real', join(root, 'etc/alias'));
    symlinkSync('/etc/shadow', join(root, 'etc/link'));
    expect(host.at('/etc/link', false)).toEqual({ kind: 'link', target: '/etc/shadow' });
    expect(host.at('/etc/alias/a', false)).toEqual({ kind: 'unreachable', at: '/etc/alias' });
    expect(host.at('/etc/alias/b/c', false)).toEqual({ kind: 'unreachable', at: '/etc/alias' });
    expect(host.isFolder('/etc/alias')).toBe(false);
    expect(host.isFolder('/etc/real')).toBe(true);
  });

  it('reports what exists instead of a file or folder', () => {
    mkdirSync(join(root, 'etc/folder'), { recursive: true });
    put('/etc/large', new Uint8Array((1 << 20) + 1));
    put('/etc/file', '');
    expect(host.at('/etc/folder', false)).toEqual({ kind: 'other', what: 'a folder' });
    expect(host.at('/etc/large', false)).toEqual({ kind: 'other', what: 'a file of 1048577 bytes' });
    expect(host.at('/etc/file/below', false)).toEqual({ kind: 'unreachable', at: '/etc/file' });
    expect(host.at('/etc/none/below', false)).toEqual({ kind: 'absent' });
  });

  it('returns nothing for missing paths', () => {
    expect(host.names('/none')).toEqual([]);
    expect(host.text('/none')).toBeUndefined();
    expect(host.size('/none')).toBeUndefined();
    put('/a/c', '123');
    put('/a/b', '');
    expect(host.names('/a')).toEqual(['b', 'c']);
    expect(host.size('/a/c')).toBe(3);
  });
});
