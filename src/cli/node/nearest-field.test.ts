import { describe, expect, it } from 'vitest';
import { nearestField } from './nearest-field.ts';

describe('nearestField', () => {
  it.each([
    ['spec.kublet', 'spec.kubelet'],
    ['spec.kubelet.maxPod', 'maxPods'],
    ['spec.taints[0].efect', 'effect'],
    ['spec.files["/etc/motd"].mod', 'mode'],
  ])('suggests for %s the field %s', (path, meant) => {
    expect(nearestField(path)).toContain(meant.split('.').at(-1));
  });

  it('names a field in another place with its path', () => {
    expect(nearestField('spec.maxPods')).toMatch(/did you mean spec\.kubelet\.\S*maxPods/);
  });

  it.each(['spec.kubelet', 'spec.files["/etc/motd"].mode', 'spec.taints[0].key', 'spec.somethingElseEntirely'])(
    'suggests nothing for %s',
    (path) => {
      expect(nearestField(path)).toBe('');
    },
  );
});
