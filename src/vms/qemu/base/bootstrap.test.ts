import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv, CommandOptions, CommandResult, RunCommand } from '../../../base/command.ts';
import { bootstrapArgv, resolvePackages, unpackPackages } from './bootstrap.ts';
import { baseRecipe } from './recipe.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-bootstrap-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const recipe = baseRecipe('bookworm');
const sources = { lines: ['deb http://user:hunter2@mirror.example bookworm main'], aptConf: 'Acquire::Retries "3";\n' };
const paths = { target: '/t', aptConf: '/c', hasSources: true, isSimulated: false };

function machine(answer: Partial<CommandResult> = {}, output = '') {
  const ran: { argv: Argv; options: CommandOptions | undefined }[] = [];
  const runAsRoot: RunCommand = async (argv, options) => {
    ran.push({ argv, options });
    options?.onStderr?.(output);
    return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: output, ...answer };
  };
  return { ran, deps: { runAsRoot, folder } };
}

describe('the command line of mmdebstrap', () => {
  it('reads sources from standard input, and lets mmdebstrap choose when there are none', () => {
    expect(bootstrapArgv(recipe, paths).slice(-3)).toEqual(['bookworm', '/t', '-']);
    expect(bootstrapArgv(recipe, { ...paths, hasSources: false }).slice(-2)).toEqual(['bookworm', '/t']);
  });

  it('either simulates or unpacks', () => {
    const simulated = bootstrapArgv(recipe, { ...paths, isSimulated: true });
    expect(simulated).toContain('--simulate');
    expect(simulated).not.toContain('--format=directory');
    expect(bootstrapArgv(recipe, paths)).not.toContain('--simulate');
  });
});

describe('resolvePackages', () => {
  it('returns the packages that mmdebstrap would install, and shows no password on the command line', async () => {
    const { ran, deps } = machine({}, 'I: x\nInst libc6 (2.36 Debian:12 [amd64])\n');
    expect(await resolvePackages(recipe, sources, deps)).toEqual(new Map([['libc6', '2.36']]));
    expect(ran[0]!.argv.join(' ')).not.toContain('hunter2');
    expect(ran[0]!.options?.input).toBe(`${sources.lines[0]}\n`);
    expect(readFileSync(join(folder, 'apt.conf'), 'utf8')).toBe(sources.aptConf);
    expect(statSync(join(folder, 'apt.conf')).mode & 0o777).toBe(0o600);
  });

  it('fails when mmdebstrap lists no packages', async () => {
    await expect(resolvePackages(recipe, sources, machine({}, 'I: x\n').deps)).rejects.toThrow('printed no packages');
  });
});

describe('unpackPackages', () => {
  it('returns the folder and reports progress', async () => {
    const messages: string[] = [];
    const { deps } = machine({}, 'I: downloading packages with apt...\n');
    const onWaiting = (what: string) => messages.push(what);
    expect(await unpackPackages(recipe, sources, { ...deps, count: 1, onWaiting })).toBe(join(folder, 'rootfs'));
    expect(messages).toEqual(['the packages to be downloaded']);
  });

  it('fails with the last output of mmdebstrap and a next step', async () => {
    const { deps } = machine({ code: 25 }, 'a\nb\nE: no mirror\n');
    await expect(unpackPackages(recipe, sources, { ...deps, count: 1 })).rejects.toMatchObject({
      code: 'pool/no-packages',
      message: 'mmdebstrap could not unpack bookworm (exited): a / b / E: no mirror',
      next: expect.stringContaining('apt-get update'),
    });
  });

  it('throws the abort reason', async () => {
    const { deps } = machine({ outcome: 'aborted', code: null });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(unpackPackages(recipe, sources, { ...deps, count: 1, signal })).rejects.toThrow('enough');
  });
});
