import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeNote } from './bar-note.ts';

const texts = ['10s  wait: network: until it is online', '10s'];

describe('placeNote', () => {
  test.each([
    ['after the bar', 0, 0.3, 1000, 'after', texts[0]],
    ['before a bar at the end', 0.7, 1, 1000, 'before', texts[0]],
    ['on a bar that fills the chart', 0.01, 0.99, 1000, 'inside', texts[0]],
    ['short after the bar, rather than cut', 0.3, 0.6, 300, 'after', texts[1]],
    ['nowhere, if there is no room', 0.4, 0.6, 60, 'after', ''],
  ] as const)('puts it %s', (_, fromShare, toShare, trackPx, side, text) => {
    expect(placeNote(texts, { fromShare, toShare, trackPx })).toEqual({ side, text });
  });

  test('never needs more room than there is', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.integer({ min: 0, max: 2000 }), (a, b, trackPx) => {
        const [fromShare, toShare] = [Math.min(a, b), Math.max(a, b)];
        const { text, side } = placeNote(texts, { fromShare, toShare, trackPx });
        const room = { after: 1 - toShare, before: fromShare, inside: toShare - fromShare }[side] * trackPx;
        expect(text.length * 6).toBeLessThanOrEqual(room);
      }),
    );
  });
});
