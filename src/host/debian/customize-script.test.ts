import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customizeScript, installScript } from './customize-script.ts';

describe('the script that is run on an unpacked system', () => {
  it('stops at the first command that fails', () => {
    const script = customizeScript({ files: [], commands: [['false']], removed: [] });
    expect(spawnSync('sh', ['-c', script, 'exec', '/nonexistent']).status).not.toBe(0);
  });

  it('takes quotes, dollars and backslashes of a file for what they are, and refuses the one line it cannot write', () => {
    const root = mkdtempSync(join(tmpdir(), 'headstart-image-'));
    const file = { path: "/it's", mode: 0o600, text: '$HOME `id` \\ "\'\n' };
    spawnSync('sh', ['-c', installScript([file]), 'exec', root]);
    expect(readFileSync(join(root, file.path), 'utf8')).toBe(file.text);
    rmSync(root, { recursive: true });
    expect(() => installScript([{ ...file, text: 'a\nend-of-headstart-file\n' }])).toThrow(/end marker/);
  });
});
