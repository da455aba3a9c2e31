import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv, CommandResult, RunCommand } from '../../../base/command.ts';
import { scrubDisk } from './scrub-disk.ts';
import { scrubItems } from './scrub-init.ts';
import { scrubArgv } from './scrub-vm.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-scrub-'));
  for (const name of ['disk', 'vmlinux', 'initrd']) writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true }));

const ok: CommandResult = { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
const all = scrubItems({ hasScript: true }).concat('ssh-host-keys');

/** Fakes that change files like the real programs. */
function machine({
  answer = lines(all),
  vm = ok,
  canPunch = true,
}: {
  answer?: string;
  vm?: CommandResult;
  canPunch?: boolean;
}) {
  const calls: Argv[] = [];
  const run: RunCommand = async (argv) => {
    calls.push(argv);
    const program = argv.find((word) => /^(?:fallocate|qemu-system)/.test(word));
    if (program === 'fallocate' && canPunch) writeFileSync(argv.at(-1)!, Buffer.alloc(8192));
    if (program !== 'qemu-system-x86_64') return ok;
    const fileOf = (id: string) => argv.find((word) => word.includes(`id=${id},`))!.split('path=')[1]!;
    if (answer !== '') writeFileSync(fileOf('answer'), answer);
    writeFileSync(fileOf('console'), 'booting\nKernel panic\n');
    return vm;
  };
  return { calls, run };
}
const lines = (items: readonly string[]) => items.map((item) => `${item}=ok\n`).join('');

const order = () => ({
  disk: join(folder, 'disk'),
  vmlinux: join(folder, 'vmlinux'),
  initrd: join(folder, 'initrd'),
  workFolder: folder,
  script: { text: 'echo ssh-host-keys=ok', items: ['ssh-host-keys'] },
});

describe('editing a copy', () => {
  it('changes the disk in place, with an explicit format, and leaves no scratch files', async () => {
    const { calls, run } = machine({});
    await scrubDisk(order(), { run, deadlineMs: 1000 });
    expect(calls.at(-1)!.join(' ')).toContain(`file=${join(folder, 'disk')},format=raw`);
    expect(readdirSync(folder).sort()).toEqual(['disk', 'initrd', 'vmlinux']);
  });

  it.each([
    ['an item of the VM is missing', { answer: lines(all.slice(1)) }, 'disk: not reported'],
    ['an item of the script is missing', { answer: lines(all.slice(0, -1)) }, 'ssh-host-keys: not reported'],
    ['an item failed', { answer: 'disk=ok\nmount=failed bad superblock\n' }, 'mount: bad superblock'],
    ['nothing was reported', { answer: '' }, 'Kernel panic'],
    [
      'QEMU failed although all items were reported',
      { vm: { ...ok, code: 1, stderr: 'no such machine' } },
      'no such machine',
    ],
    ['it took too long', { vm: { ...ok, outcome: 'timed-out' as const, code: null } }, 'did not finish within 1 s'],
  ])('throws when %s', async (_, dials, why) => {
    const { run } = machine(dials);
    const tried = scrubDisk(order(), { run, deadlineMs: 1000 });
    await expect(tried).rejects.toMatchObject({ code: 'vms/not-scrubbed', message: expect.stringContaining(why) });
    expect(existsSync(join(folder, 'scrub'))).toBe(false);
  });

  it('refuses a file system that keeps the bytes of discarded blocks', async () => {
    const { calls, run } = machine({ canPunch: false });
    await expect(scrubDisk(order(), { run, deadlineMs: 1000 })).rejects.toMatchObject({ code: 'vms/no-holes' });
    expect(calls).toHaveLength(1);
  });

  it('passes an abort through unchanged', async () => {
    const { run } = machine({});
    const signal = AbortSignal.abort('SIGINT');
    await expect(scrubDisk(order(), { run, deadlineMs: 1000, signal })).rejects.toBe('SIGINT');
    expect(existsSync(join(folder, 'scrub'))).toBe(false);
  });
});

it('scrubArgv escapes every path inside its option', () => {
  const path = '/a,readonly=on,file=/etc/shadow';
  const argv = scrubArgv({
    ...{ disk: path, vmlinux: '/v', initrd: '/i', answer: path, console: path },
    accelerator: 'tcg',
  });
  for (const word of argv.filter((one) => one.includes('/a')))
    expect(word.replaceAll(',,', '')).not.toMatch(/,(?:readonly|file)=/);
});
