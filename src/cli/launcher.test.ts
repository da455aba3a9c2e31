import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../headstart', import.meta.url));
const elsewhere = mkdtempSync(join(tmpdir(), 'headstart-launcher-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe('the launcher', () => {
  it('runs from any directory, through links to links, under the pinned runtime', () => {
    symlinkSync(launcher, join(elsewhere, 'one'));
    symlinkSync('one', join(elsewhere, 'two'));
    for (const path of [launcher, join(elsewhere, 'two')]) {
      const version = execFileSync(path, ['--version'], { cwd: elsewhere, encoding: 'utf8' });
      expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });

  it('ends quietly when whoever reads its output stops reading', () => {
    const script = '"$1" boot --help | head -1';
    expect(execFileSync('sh', ['-c', script, 'sh', launcher], { encoding: 'utf8' })).toBe('Examples:\n');
  });
});
