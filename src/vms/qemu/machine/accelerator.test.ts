import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult, RunCommand } from '../../../base/command.ts';
import { accelerator, shareAccelerator } from './accelerator.ts';

let home: string;
let probes: readonly string[][];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-accelerator-'));
  probes = [];
});
afterEach(() => rmSync(home, { recursive: true }));

function ask(ended: Partial<CommandResult>, hasKvm = true, vmlinux: string | undefined = '/v/vmlinux') {
  const run: RunCommand = async (argv) => {
    probes = [...probes, [...argv]];
    return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...ended };
  };
  return accelerator({ home, run, hasKvm: async () => hasKvm }, vmlinux);
}

describe('accelerator', () => {
  it('is KVM when a kernel boots with it', async () => {
    expect(await ask({})).toBe('kvm');
    expect(probes[0]).toEqual(expect.arrayContaining(['-accel', 'kvm', '-kernel', '/v/vmlinux', '-no-reboot']));
  });

  it.each<[string, Partial<CommandResult>]>([
    ['hangs', { outcome: 'timed-out', code: null }],
    ['is refused', { code: 1 }],
    ['is not installed', { outcome: 'missing', code: null }],
  ])('is emulation when the guest %s', async (_what, ended) => {
    expect(await ask(ended)).toBe('tcg');
  });

  it('is probed once per boot of this machine', async () => {
    await ask({ outcome: 'timed-out', code: null });
    expect(await ask({})).toBe('tcg');
    expect(probes).toHaveLength(1);
  });

  it('is not probed without KVM or without a kernel', async () => {
    expect(await ask({}, false)).toBe('tcg');
    expect(
      await accelerator({ home, run: () => Promise.reject(new Error('no')), hasKvm: async () => true }, undefined),
    ).toBe('tcg');
    expect(probes).toEqual([]);
  });

  it('is not probed again in a home that shares the result', async () => {
    await ask({});
    const other = mkdtempSync(join(tmpdir(), 'headstart-accelerator-'));
    try {
      shareAccelerator(home, other);
      expect(
        await accelerator({ home: other, run: () => Promise.reject(new Error('no')), hasKvm: async () => true }, '/v'),
      ).toBe('kvm');
      shareAccelerator(join(other, 'nowhere'), other);
      shareAccelerator(other, join(other, 'nowhere'));
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});
