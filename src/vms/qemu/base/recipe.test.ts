import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customizeScript } from '../../../host/debian/customize-script.ts';
import { baseRecipe, hashRecipe, SUITES } from './recipe.ts';

describe('the recipe of a base image', () => {
  it('has a hash that every change of the recipe changes', () => {
    const recipe = baseRecipe('bookworm');
    const others = [
      baseRecipe('trixie'),
      { ...recipe, packages: [...recipe.packages, 'vim'] },
      { ...recipe, files: recipe.files.slice(1) },
      { ...recipe, removed: [] },
    ];
    const hashes = [recipe, ...others].map(hashRecipe);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashRecipe(baseRecipe('bookworm'))).toBe(hashes[0]);
  });

  it('exists for the supported suites only', () => {
    expect(SUITES.map((suite) => baseRecipe(suite).definition)).toEqual(['debian-12', 'debian-13']);
    expect(() => baseRecipe('sid')).toThrow(/no recipe/);
    expect(() => baseRecipe('constructor')).toThrow(/no recipe/);
  });
});

describe('the customize script', () => {
  it('writes the files unchanged, removes the listed paths, and leaves an empty machine-id', () => {
    const root = mkdtempSync(join(tmpdir(), 'headstart root-'));
    try {
      mkdirSync(join(root, 'etc/ssh'), { recursive: true });
      for (const name of ['etc/ssh/ssh_host_rsa_key', 'etc/hostname', 'etc/machine-id']) {
        writeFileSync(join(root, name), 'of the machine that built it');
      }
      const { files, removed, initrdFiles } = baseRecipe('bookworm');
      const all = [...initrdFiles, ...files];
      const script = customizeScript({ files: all, commands: [], removed });
      expect(spawnSync('sh', ['-c', script, 'exec', root], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
      for (const { path, mode, text } of all) {
        expect(readFileSync(join(root, path), 'utf8')).toBe(text);
        expect(statSync(join(root, path)).mode & 0o777).toBe(mode);
      }
      expect(readdirSync(join(root, 'etc/ssh'))).toEqual([]);
      expect(readdirSync(join(root, 'etc'))).not.toContain('hostname');
      expect(readFileSync(join(root, 'etc/machine-id'), 'utf8')).toBe('');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
