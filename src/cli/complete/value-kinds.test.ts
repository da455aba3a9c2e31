import { describe, expect, it } from 'vitest';
import { valueKindOf } from './value-kinds.ts';

describe('valueKindOf', () => {
  it('prefers the longest path', () => {
    expect(valueKindOf('pool create', 'NAME', 'NAME')).toMatchObject({ kind: 'nothing', key: 'pool create NAME' });
    expect(valueKindOf('pool show', 'NAME', 'NAME')).toMatchObject({ kind: 'pools', key: 'pool NAME' });
    expect(valueKindOf('prototype run', '--context', 'NAME')).toMatchObject({ kind: 'contexts', key: '--context' });
  });

  it('completes pools of the verbs that take them by another name than NAME', () => {
    expect(valueKindOf('standby claim', 'POOL', 'POOL')).toMatchObject({ kind: 'standby-pools' });
    expect(valueKindOf('standby plan', 'POOL', 'POOL')).toMatchObject({ kind: 'pools' });
    expect(valueKindOf('pool serve', '--pool', 'NAME[:MIN:MAX]')).toMatchObject({ kind: 'pools' });
  });

  it.each([
    ['FILE', 'files'],
    ['FILE|DIR|-', 'files'],
    ['INPUT...', 'files'],
    ['DIR', 'folders'],
    ['FOLDER', 'folders'],
    ['SECONDS', 'nothing'],
    ['', 'nothing'],
  ])('uses the placeholder %j if no path names the option', (placeholder, kind) => {
    expect(valueKindOf('some verb', '--some-option', placeholder)).toEqual({ kind, isNamed: false });
  });

  it('ignores names that every object has', () => {
    expect(valueKindOf('', 'constructor', '')).toEqual({ kind: 'nothing', isNamed: false });
  });
});
