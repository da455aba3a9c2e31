import { describe, expect, it } from 'vitest';
import { span } from '../testing.ts';
import { savedByCuts } from './span-cuts.ts';

const stage = span('cloud-init:final', 0, 10);
const first = span('cloud-init:final/a', 1, 4, { parent: stage.id });
const second = span('cloud-init:final/b', 4, 9, { parent: stage.id });
const parts = [stage, first, second];

describe('savedByCuts', () => {
  it('saves the time of a removed step, and of two steps one after another', () => {
    expect(savedByCuts(stage, [{ span: first, tookUs: 0 }], parts)).toBe(3e6);
    const both = [first, second].map((one) => ({ span: one, tookUs: 0 }));
    expect(savedByCuts(stage, both, parts)).toBe(8e6);
  });

  it('saves the difference if a step becomes shorter, and loses it if it becomes longer', () => {
    expect(savedByCuts(stage, [{ span: second, tookUs: 2e6 }], parts)).toBe(3e6);
    expect(savedByCuts(stage, [{ span: second, tookUs: 7e6 }], parts)).toBe(-2e6);
  });

  it('does not save time in which another step was running', () => {
    const parallel = span('cloud-init:final/c', 2, 6, { parent: stage.id });
    expect(savedByCuts(stage, [{ span: first, tookUs: 0 }], [...parts, parallel])).toBe(1e6);
  });

  it('counts the steps inside a removed step as removed', () => {
    const inner = span('cloud-init:final/a/x', 2, 3, { parent: first.id });
    expect(savedByCuts(stage, [{ span: first, tookUs: 0 }], [...parts, inner])).toBe(3e6);
    expect(savedByCuts(stage, [{ span: inner, tookUs: 0 }], [...parts, inner])).toBe(1e6);
  });

  it('counts only what is in the window, and nothing of steps elsewhere', () => {
    expect(savedByCuts({ startUs: 0, endUs: 2e6 }, [{ span: first, tookUs: 0 }], parts)).toBe(1e6);
    expect(savedByCuts(stage, [{ span: span('extension:x', 0, 5), tookUs: 0 }], parts)).toBe(0);
  });
});
