import { describe, expect, it } from 'vitest';
import { nearestField } from './nearest-field.ts';

describe('the field that the author of a document meant', () => {
  it.each([
    ['spec.kublet', 'spec.kubelet'],
    ['spec.kubelet.maxPod', 'maxPods'],
    ['spec.taints[0].efect', 'effect'],
    ['spec.files["/etc/motd"].mod', 'mode'],
  ])('%s is close to %s', (path, meant) => {
    expect(nearestField(path)).toContain(meant.split('.').at(-1));
  });

  it('that belongs elsewhere is named with its path', () => {
    expect(nearestField('spec.maxPods')).toMatch(/did you mean spec\.kubelet\.\S*maxPods/);
  });

  it.each(['spec.kubelet', 'spec.files["/etc/motd"].mode', 'spec.taints[0].key', 'spec.somethingElseEntirely'])(
    '%s gets no suggestion',
    (path) => {
      expect(nearestField(path)).toBe('');
    },
  );
});
