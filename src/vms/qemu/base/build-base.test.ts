import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { Argv, CommandResult, RunCommand } from '../../../base/command.ts';
import { aKernel } from '../../../host/debian/kernels.testing.ts';
import { BASE_TAGS, findBase, nextName } from './base-versions.ts';
import { ensureBase } from './build-base.ts';
import { baseRecipe } from './recipe.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-base-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const recipe = baseRecipe('bookworm');
const ok: CommandResult = { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };

/** Fakes of the programs that a build uses; `plan` is what apt would install today. */
function machine(dials: { plan: string; fail?: string }) {
  const calls: string[] = [];
  const run: RunCommand = async (argv, options) => {
    const program = programOf(argv);
    const target = argv.at(argv.at(-1) === '-' ? -2 : -1)!;
    const isPlan = argv.includes('--simulate');
    calls.push(isPlan ? 'plan' : program);
    if (program === dials.fail) return { ...ok, code: 1, stderr: 'E: it did not work' };
    if (program === 'rm') rmSync(target, { recursive: true, force: true });
    if (program === 'cp') writeFileSync(target, 'copied');
    if (program === 'apt-get') return { ...ok, stdout: Buffer.from('http://mirror.example/|bookworm|main|Debian\n') };
    if (program === 'mmdebstrap' && isPlan) options?.onStderr?.(dials.plan);
    if (program === 'mmdebstrap' && !isPlan) {
      mkdirSync(join(target, 'boot'), { recursive: true });
      writeFileSync(join(target, 'boot/vmlinuz-6.1'), aKernel());
      writeFileSync(join(target, 'boot/initrd.img-6.1'), gzipSync('initrd'));
    }
    if (program === 'qemu-img') return imageTool(argv);
    return ok;
  };
  return { calls, run, deps: { home, clock: systemClock, run, isRoot: true } };
}

function programOf(argv: Argv): string {
  return (
    argv.find((word) => ['rm', 'cp', 'apt-get', 'mmdebstrap', 'mke2fs', 'qemu-img', 'true'].includes(word)) ?? argv[0]
  );
}

function imageTool(argv: Argv): CommandResult {
  if (argv.includes('convert')) writeFileSync(argv.at(-1)!, 'disk');
  return { ...ok, stdout: Buffer.from('{"required": 1, "virtual-size": 4, "actual-size": 4}') };
}

const PLAN = 'Inst libc6 (2.36 Debian:12 [amd64])\n';

describe('a base image', () => {
  it('is built once, and found immediately afterwards without network', async () => {
    const first = machine({ plan: PLAN });
    const built = await ensureBase(recipe, { refresh: false }, first.deps);
    expect(built).toMatchObject({ isNew: true, record: { tags: { [BASE_TAGS.kernel]: '6.1' } } });
    expect(readdirSync(home).sort()).toEqual(['galleries', 'locks']);
    const second = machine({ plan: PLAN });
    expect(await ensureBase(recipe, { refresh: false }, second.deps)).toMatchObject({ isNew: false, id: built.id });
    expect(second.calls).toEqual([]);
    expect(findBase(home, { ...recipe, packages: ['other'] })).toBeUndefined();
  });

  it('is rebuilt by a refresh only when the packages changed', async () => {
    const built = await ensureBase(recipe, { refresh: false }, machine({ plan: PLAN }).deps);
    const same = machine({ plan: PLAN });
    expect(await ensureBase(recipe, { refresh: true }, same.deps)).toMatchObject({ isNew: false, id: built.id });
    expect(same.calls).toContain('plan');
    expect(same.calls).not.toContain('mmdebstrap');
    const newer = await ensureBase(recipe, { refresh: true }, machine({ plan: PLAN.replace('2.36', '2.37') }).deps);
    expect(newer.isNew).toBe(true);
    expect(findBase(home, recipe)?.id).toBe(newer.id);
  });

  it('is built once when two commands build at the same time', async () => {
    const { calls, deps } = machine({ plan: PLAN });
    const both = await Promise.all([1, 2].map(() => ensureBase(recipe, { refresh: false }, deps)));
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(calls.filter((program) => program === 'mmdebstrap')).toHaveLength(1);
  });

  it('leaves nothing behind when the build fails, and removes what a killed build left', async () => {
    mkdirSync(join(home, 'base-build/rootfs'), { recursive: true });
    for (const fail of ['mmdebstrap', 'mke2fs', 'qemu-img']) {
      await expect(ensureBase(recipe, { refresh: false }, machine({ plan: PLAN, fail }).deps)).rejects.toThrow();
      expect(readdirSync(home).filter((name) => name === 'base-build')).toEqual([]);
      expect(findBase(home, recipe)).toBeUndefined();
    }
  });

  it('is not built when root is not available', async () => {
    const { deps } = machine({ plan: PLAN, fail: 'true' });
    const refused = ensureBase(recipe, { refresh: false }, { ...deps, isRoot: false });
    await expect(refused).rejects.toMatchObject({ code: 'pool/needs-root', next: expect.stringContaining('--home') });
  });
});

describe('nextName', () => {
  const noon = Date.UTC(2026, 10, 6, 12);

  it('is the date and a counter for that day', () => {
    expect(nextName(noon, [])).toBe('2026.1106.0');
    expect(nextName(noon, ['2026.1106.0', '2026.1106.10', '2026.1105.99', '2026.11.6'])).toBe('2026.1106.11');
    expect(nextName(Date.UTC(2026, 0, 2), [])).toBe('2026.102.0');
  });
});
