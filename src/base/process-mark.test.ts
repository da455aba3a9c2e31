import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readMark, systemProcesses } from './process-mark.ts';

describe('the mark of a process', () => {
  it('knows a process by more than its number', () => {
    const own = systemProcesses.own()!;
    expect(systemProcesses.isGone(own)).toBe(false);
    expect(systemProcesses.isGone({ ...own, startTicks: '1' })).toBe(true);
    for (const elsewhere of [{ bootId: 'x' }, { pidNamespace: 'x' }]) {
      expect(systemProcesses.isGone({ ...own, startTicks: '1', ...elsewhere })).toBe(false);
    }
    const { pid } = spawnSync('true');
    expect(systemProcesses.isGone({ ...own, pid })).toBe(true);
  });

  it('survives being written down', () => {
    const own = systemProcesses.own()!;
    expect(readMark(JSON.parse(JSON.stringify(own)))).toEqual(own);
  });

  it.each([undefined, null, 'text', 4711, {}, { pid: '1' }, []])('is none in %j', (value) => {
    expect(readMark(value)).toBeUndefined();
  });
});
