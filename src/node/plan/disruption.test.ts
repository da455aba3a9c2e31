import { describe, expect, it } from 'vitest';
import { DISRUPTIONS } from '../document/schema/update.ts';
import { CLASS_NAME, CLASSES, classNow, highest, rank } from './disruption.ts';

describe('the classes of disruption', () => {
  it('are ordered, the control plane between a reboot and another node', () => {
    expect(highest([])).toBe(0);
    expect(highest([2, 1])).toBe(2);
    expect(highest([6, 'C'])).toBe('C');
    expect(highest(['C', 7, 6])).toBe(7);
  });

  it('have the names that a document allows them by', () => {
    expect(CLASSES.slice(0, DISRUPTIONS.length).map((level) => CLASS_NAME[level])).toEqual([...DISRUPTIONS]);
  });

  it('are what they are on a node in service, and never worse at another moment', () => {
    for (const level of CLASSES) {
      expect(classNow(level, 'running')).toBe(level);
      expect(rank(classNow(level, 'not-started'))).toBeLessThanOrEqual(rank(level));
      expect(rank(classNow(level, 'never-ran'))).toBeLessThanOrEqual(rank(classNow(level, 'not-started')));
    }
  });

  it('are nothing to a machine that was never a node', () => {
    expect(CLASSES.map((level) => classNow(level, 'never-ran'))).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('keep what a boot does not undo: the kernel, what is registered, what the node is', () => {
    expect(CLASSES.map((level) => classNow(level, 'not-started'))).toEqual([0, 1, 1, 1, 1, 1, 6, 'C', 7]);
  });
});
