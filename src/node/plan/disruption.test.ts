import { describe, expect, it } from 'vitest';
import { DISRUPTIONS } from '../document/schema/update.ts';
import { CLASS_NAME, CLASSES, classNow, highest, rank } from './disruption.ts';

describe('the classes of disruption', () => {
  it('are ordered, with the control plane between reboot and replacement', () => {
    expect(highest([])).toBe(0);
    expect(highest([2, 1])).toBe(2);
    expect(highest([6, 'C'])).toBe('C');
    expect(highest(['C', 7, 6])).toBe(7);
  });

  it('have the names of maxDisruption', () => {
    expect(CLASSES.slice(0, DISRUPTIONS.length).map((level) => CLASS_NAME[level])).toEqual([...DISRUPTIONS]);
  });

  it('are nominal on a node in service and never higher before kubelet runs', () => {
    for (const level of CLASSES) {
      expect(classNow(level, 'running')).toBe(level);
      expect(rank(classNow(level, 'not-started'))).toBeLessThanOrEqual(rank(level));
      expect(rank(classNow(level, 'never-ran'))).toBeLessThanOrEqual(rank(classNow(level, 'not-started')));
    }
  });

  it('are at most live on a machine on which kubelet never ran', () => {
    expect(CLASSES.map((level) => classNow(level, 'never-ran'))).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('stay nominal after a boot for reboot, control plane and replacement', () => {
    expect(CLASSES.map((level) => classNow(level, 'not-started'))).toEqual([0, 1, 1, 1, 1, 1, 6, 'C', 7]);
  });
});
