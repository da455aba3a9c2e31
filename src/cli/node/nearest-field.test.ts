import { describe, expect, it } from 'vitest';
import { API_VERSIONS } from '../../node/document/schema/convert.ts';
import { fieldsOf } from '../../node/document/schema/fields.ts';
import { nearestField } from './nearest-field.ts';

describe('nearestField', () => {
  it('suggests a field of the same place', () => {
    expect(nearestField('spec.kublet')).toBe(' (did you mean kubelet?)');
  });

  it('gives a name that belongs elsewhere with its path', () => {
    expect(nearestField('spec.maxPods')).toMatch(/^ \(did you mean .*kubelet.*maxPods\?\)$/);
  });

  it('says nothing about a field that exists, nor about a word that is like none', () => {
    for (const version of API_VERSIONS) {
      for (const { path } of fieldsOf(version)) expect(nearestField(path), path).toBe('');
    }
    expect(nearestField('spec.qqqqqqqqqq')).toBe('');
  });
});
