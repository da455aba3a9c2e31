import { describe, expect, it } from 'vitest';
import { valueKindOf } from './value-kinds.ts';

describe('the kind of value that an option or argument takes', () => {
  it('is that of the longest path that names it', () => {
    expect(valueKindOf('pool create', 'NAME', 'NAME')).toMatchObject({ kind: 'nothing', key: 'pool create NAME' });
    expect(valueKindOf('pool show', 'NAME', 'NAME')).toMatchObject({ kind: 'pools', key: 'pool NAME' });
    expect(valueKindOf('prototype run', '--context', 'NAME')).toMatchObject({ kind: 'contexts', key: '--context' });
  });

  it.each([
    ['FILE', 'files'],
    ['FILE|DIR|-', 'files'],
    ['INPUT...', 'files'],
    ['DIR', 'folders'],
    ['FOLDER', 'folders'],
    ['SECONDS', 'nothing'],
    ['', 'nothing'],
  ])('follows from the placeholder %j where no path names it', (placeholder, kind) => {
    expect(valueKindOf('some verb', '--some-option', placeholder)).toEqual({ kind, isNamed: false });
  });

  it('is not taken from the names that every object has', () => {
    expect(valueKindOf('', 'constructor', '')).toEqual({ kind: 'nothing', isNamed: false });
  });
});
