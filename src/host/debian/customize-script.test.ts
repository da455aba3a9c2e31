import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customizeScript, installScript } from './customize-script.ts';

describe('the customize script', () => {
  it('stops at the first command that fails', () => {
    const script = customizeScript({ files: [], commands: [['false']], removed: [] });
    expect(spawnSync('sh', ['-c', script, 'exec', '/nonexistent']).status).not.toBe(0);
  });

  it('writes quotes, dollars and backslashes literally, and refuses a file with the end marker', () => {
    const root = mkdtempSync(join(tmpdir(), 'headstart-image-'));
    const file = { path: "/it's", mode: 0o600, text: '$HOME `id` \\ "\'\n' };
    spawnSync('sh', ['-c', installScript([file]), 'exec', root]);
    expect(readFileSync(join(root, file.path), 'utf8')).toBe(file.text);
    rmSync(root, { recursive: true });
    expect(() => installScript([{ ...file, text: 'a\nend-of-headstart-file\n' }])).toThrow(/end marker/);
  });
});
