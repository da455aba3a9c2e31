import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installCommand } from './install-command.ts';
import { missingTools, packageOf, requireTools, toolPath, toolsOf } from './required-tools.ts';

describe('the table of programs', () => {
  // The compiler checks what goes through run-tool.ts; this test checks the rest.
  it('has every program that is run directly', () => {
    const run = programsRun();
    expect(run).toEqual(expect.arrayContaining(['apt-get', 'dpkg-deb', 'flock', 'go', 'lz4', 'unshare']));
    expect(run.filter((program) => packageOf(program) === undefined)).toEqual([]);
  });

  it('finds a program by its path, and nothing for unknown programs', () => {
    expect(packageOf('/usr/sbin/mke2fs')).toBe('e2fsprogs');
    expect(packageOf('no-such-program')).toBeUndefined();
    expect(packageOf('toString')).toBeUndefined();
  });
});

describe('missing programs', () => {
  it('are installed by one command that names each package once', () => {
    const missing = missingTools(toolsOf('tune2fs', 'lz4', 'mke2fs', 'debugfs'), '/bin', (file) =>
      file.endsWith('/debugfs'),
    );
    expect(missing.map(({ program }) => program)).toEqual(['tune2fs', 'lz4', 'mke2fs']);
    expect(installCommand(missing.map((tool) => tool.package)).slice(4)).toEqual(['e2fsprogs', 'lz4']);
  });

  it('are found outside a user’s PATH', () => {
    expect(toolPath(undefined).split(':')).toContain('/usr/sbin');
    expect(missingTools(toolsOf('mke2fs'), undefined, (file) => file.startsWith('/usr/sbin/'))).toEqual([]);
  });

  it("are listed in an error with the caller's code and the install command", () => {
    const tools = [{ program: 'no-such-program-1', package: 'one' }];
    const machine = { path: '', isRoot: false, code: 'area/missing-programs' };
    expect(() => requireTools(tools, machine)).toThrow(
      expect.objectContaining({
        code: 'area/missing-programs',
        message: 'a program is missing: no-such-program-1',
        next: 'sudo apt-get install --yes --no-install-recommends one',
      }),
    );
    expect(() =>
      requireTools([...tools, { program: 'no-such-2', package: 'two' }], { ...machine, isRoot: true }),
    ).toThrow(
      expect.objectContaining({
        message: 'programs are missing: no-such-program-1, no-such-2',
        next: 'apt-get install --yes --no-install-recommends one two',
      }),
    );
    expect(() => requireTools([], machine)).not.toThrow();
  });
});

/** The first word of each command line passed to a runner or to spawn, in the folders that use this machine's programs. */
function programsRun(): string[] {
  const source = join(import.meta.dirname, '..');
  const files = ['host', 'vms', 'image', 'cluster', 'container'].flatMap((room) =>
    readdirSync(join(source, room), { recursive: true, encoding: 'utf8' }).map((file) => join(source, room, file)),
  );
  const production = files.filter((file) => file.endsWith('.ts') && !/test(?:ing)?\.ts$/.test(file));
  // Skips programs that run in a guest.
  const texts = production.filter((file) => !file.includes('/qemu/guest/')).map((file) => readFileSync(file, 'utf8'));
  const calls = /\b(?:run|runAsRoot|runCommand|dyingWithUs|asRoot)\(\s*\[\s*'([^']+)'|\bspawn\('([^']+)'/g;
  const lines = texts.flatMap((text) => [...text.matchAll(calls)]);
  return [...new Set(lines.map(([, program, spawned]) => (program ?? spawned)!))].sort();
}
