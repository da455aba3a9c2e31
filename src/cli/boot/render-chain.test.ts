import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainLink } from '../../boot/questions/chain.ts';
import { span } from '../../boot/testing.ts';
import { PIPE } from '../output/screen.ts';
import { indentLimit, renderBootChain } from './render-chain.ts';

const link = (name: string, startS: number, endS: number, more: Partial<ChainLink> = {}): ChainLink => ({
  ...{ id: name, name, source: 'systemd', gapUs: 0, inside: [] },
  ...{ startUs: startS * 1e6, endUs: endS * 1e6 },
  ...more,
});

describe('renderBootChain', () => {
  it('prints the last link first, and indents each link one step more', () => {
    expect(renderBootChain([link('c', 9, 9), link('b', 5, 9), link('a', 1, 5)])).toBe(
      'c @9s\n└─b @5s +4s\n  └─a @1s +4s\n',
    );
  });

  it('prints waits, and gaps only if they are long enough', () => {
    const links = [link('b', 5, 9, { wait: 'a lease', gapUs: 99_999 }), link('a', 1, 4, { gapUs: 100_000 })];
    const text = renderBootChain(links);
    expect(text).toContain('b @5s +4s [wait: a lease]\n');
    expect(text.match(/before it that no source explains/g)).toHaveLength(1);
    expect(text).toContain('(100ms before it that no source explains)');
  });

  it('prints why a link failed, and what triggered one after a gap', () => {
    const failed = link('b', 5, 95, { result: 'fail', failure: 'timed out after 1min 30s' });
    expect(renderBootChain([failed])).toContain('b @5s +1min 30s [failed: timed out after 1min 30s]\n');
    expect(renderBootChain([link('c', 9, 9, { result: 'fail' })])).toContain('c @9s [failed]\n');
    const late = link('late.service', 30, 35, { startedBy: 'late.timer', gapUs: 23e6 });
    expect(renderBootChain([late])).toContain('(23s before it until late.timer elapsed)');
  });

  it('prints the five longest parts of a link, in the order of their start', () => {
    const inside = [7, 1, 6, 2, 5, 3, 4].map((took, index) =>
      span(`${took}`, 10 + index, 10 + index + took, { name: `part-${took}` }),
    );
    const text = renderBootChain([link('stage', 10, 30, { inside })]);
    expect([...text.matchAll(/· (part-\d)/g)].map(([, name]) => name)).toEqual([
      'part-7',
      'part-6',
      'part-5',
      'part-3',
      'part-4',
    ]);
  });

  it('prints of a part that is longer than its link only what lies in the link', () => {
    const inside = [span('kubelet:network', 8.6, 13.7, { name: 'container network', wait: 'a plugin' })];
    const links = [link('registered to Ready', 9, 19, { inside }), link('register node', 8.7, 9, { inside })];
    const shown = [...renderBootChain(links).matchAll(/container network (.*) \[/g)].map(([, took]) => took);
    expect(shown).toEqual(['+4.700s of 5.100s', '+300ms of 5.100s']);
  });

  it('prints no control characters of a name', () => {
    expect(renderBootChain([link('a\u001b[2J', 0, 1)])).not.toContain('\u001b');
  });
});

it('indentLimit is at most a third of the terminal, and leaves room for the longest name', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 20, max: 200 }), (longest, columns) => {
      const limit = indentLimit(longest, { ...PIPE, columns });
      expect(limit).toBeGreaterThanOrEqual(0);
      expect(limit).toBeLessThanOrEqual(columns / 3);
      if (limit > 0) expect(limit + longest + 2).toBeLessThanOrEqual(columns);
    }),
  );
});
