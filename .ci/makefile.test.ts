import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const make = (...args: string[]) =>
  spawnSync('make', ['--no-print-directory', '--directory', root, ...args], {
    env: { ...process.env, MAKEFLAGS: '' }, // `make test` runs this
    encoding: 'utf8',
  });

describe('the Makefile', () => {
  it('lists its targets within 100 columns, by who needs them', () => {
    const { stdout } = make();
    expect(stdout.match(/^\S.*/gm)).toEqual(['Try it:', 'Develop:', 'Release:']);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  // What demo and demo-boot import is checked in src/architecture.test.ts.
  it.each(['demo', 'demo-boot'])('installs no development tools for %s', (target) => {
    const { stdout } = make('--dry-run', target);
    expect(stdout).toContain('ensure_installed runtime\n');
    expect(stdout).not.toContain('ensure_installed full');
  });

  it.each(['test', 'e2e', 'campaign', 'bench', 'demo-kubernetes', 'dist', 'image', 'chart', 'node-binary', 'release'])(
    'installs the development tools for %s',
    (target) => {
      expect(make('--dry-run', target).stdout).toContain('ensure_installed full\n');
    },
  );

  it.each([
    ['bench', 'PARTS=nonesuch', 'bench/no-such-part'],
    ['campaign', 'PART=nonesuch', 'campaign/no-such-part'],
    ['campaign', 'SEEDS=nonesuch', 'campaign/bad-seeds'],
  ])('refuses %s %s', (target, variable, code) => {
    expect(make(target, variable)).toMatchObject({ status: 2, stderr: expect.stringContaining(`code:  ${code}`) });
  });

  it.each([
    ['bench', 'PARTS=help', 'what-if '],
    ['campaign', 'PART=help', 'kube-kills '],
  ])('lists the parts with %s %s', (target, variable, part) => {
    expect(make(target, variable)).toMatchObject({ status: 0, stdout: expect.stringContaining(part) });
  });
});
