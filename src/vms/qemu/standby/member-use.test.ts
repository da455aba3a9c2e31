import { ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceFiles, instanceFolder, poolRef } from '../home/layout.ts';
import { type Lab, makeLab } from '../testing.ts';
import { memberUse, privateBytes } from './member-use.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeLab();
});
afterEach(() => lab.end());

describe('what a standby instance takes', () => {
  it('of the disk is what its files have allocated: a hole takes nothing', () => {
    const ref = { pool: poolRef('web'), id: 'web-000001' };
    const folder = instanceFolder(lab.context.home, ref);
    mkdirSync(folder, { recursive: true });
    expect(memberUse(lab.context, ref)).toEqual({ diskBytes: 0 });
    const memory = openSync(join(folder, instanceFiles.memory), 'w');
    ftruncateSync(memory, 1 << 30);
    writeSync(memory, Buffer.alloc(100_000, 1), 0, 100_000, 0);
    writeFileSync(join(folder, instanceFiles.console), 'not counted'.repeat(10_000));
    const { diskBytes, memoryBytes } = memberUse(lab.context, ref);
    expect(diskBytes).toBeGreaterThanOrEqual(100_000);
    expect(diskBytes).toBeLessThan(10 << 20);
    expect(memoryBytes).toBeUndefined();
  });

  it('of the disk is nothing for a link, wherever it leads', () => {
    const ref = { pool: poolRef('web'), id: 'web-000001' };
    const folder = instanceFolder(lab.context.home, ref);
    mkdirSync(folder, { recursive: true });
    symlinkSync(instanceFiles.memory, join(folder, instanceFiles.memory)); // to itself
    symlinkSync(process.execPath, join(folder, instanceFiles.disk));
    expect(memberUse(lab.context, ref).diskBytes).toBeLessThan(10_000);
  });

  it('of the memory is private, and unknown for a process that is gone', () => {
    expect(privateBytes(process.pid)).toBeGreaterThan(1 << 20);
    expect(privateBytes(2 ** 30)).toBeUndefined();
  });
});
