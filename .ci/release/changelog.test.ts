import { describe, expect, it } from 'vitest';
import { entryOf } from './changelog.ts';

const CHANGELOG = `# Changelog

## Unreleased

## [1.2.0] - 2026-11-19

### Added

- A verb. \`## not a heading\`

## 1.1.0 (not tagged)

First.
## 1.0.0`;

describe('the entry of a version', () => {
  it.each([
    ['Unreleased', { rest: '', text: '' }],
    ['1.2.0', { rest: ' - 2026-11-19', text: '### Added\n\n- A verb. `## not a heading`' }],
    ['1.1.0', { rest: ' (not tagged)', text: 'First.' }],
    ['1.0.0', { rest: '', text: '' }],
    ['1.2', undefined],
    ['2.0.0', undefined],
  ])('%s is the text below its heading', (name, entry) => {
    expect(entryOf(CHANGELOG, name)).toEqual(entry);
  });
});
