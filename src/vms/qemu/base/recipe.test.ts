import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customizeScript, installScript } from './customize-script.ts';
import { baseRecipe, hashRecipe, SUITES } from './recipe.ts';

describe('the recipe of a base image', () => {
  it('has a hash that any change of it changes', () => {
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

  it('is there for the suites it names, and for no other', () => {
    expect(SUITES.map((suite) => baseRecipe(suite).definition)).toEqual(['debian-12', 'debian-13']);
    expect(() => baseRecipe('sid')).toThrow(/no recipe/);
    expect(() => baseRecipe('constructor')).toThrow(/no recipe/);
  });
});

describe('the scripts that are run on the unpacked image', () => {
  it('write the files as they are, remove what is named, and leave an empty machine-id', () => {
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

  it('stop at the first command that fails', () => {
    const script = customizeScript({ files: [], commands: [['false']], removed: [] });
    expect(spawnSync('sh', ['-c', script, 'exec', '/nonexistent']).status).not.toBe(0);
  });

  it('take quotes, dollars and backslashes of a file for what they are, and refuse the one line they cannot', () => {
    const root = mkdtempSync(join(tmpdir(), 'headstart-image-'));
    const file = { path: "/it's", mode: 0o600, text: '$HOME `id` \\ "\'\n' };
    spawnSync('sh', ['-c', installScript([file]), 'exec', root]);
    expect(readFileSync(join(root, file.path), 'utf8')).toBe(file.text);
    rmSync(root, { recursive: true });
    expect(() => installScript([{ ...file, text: 'a\nend-of-headstart-file\n' }])).toThrow(/would end it/);
  });
});
