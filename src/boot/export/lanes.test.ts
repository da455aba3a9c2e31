import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everySpan } from '../model/all-spans.ts';
import { anyRecord, span } from '../testing.ts';
import { assignLanes } from './lanes.ts';

const lanes = (...spans: Parameters<typeof assignLanes>[0]) =>
  Object.fromEntries(assignLanes(spans).map(({ span: one, lane }) => [one.name, lane]));

describe('assignLanes', () => {
  it('puts spans that follow each other into one lane', () => {
    expect(lanes(span('kubelet:a', 1, 2), span('kubelet:b', 2, 3), span('kubelet:c', 2.5, 4))).toEqual({
      a: 0,
      b: 0,
      c: 1,
    });
  });

  it('puts a child into the lane of its parent, unless it overlaps a sibling or ends after its parent', () => {
    const parent = 'kubelet:p';
    expect(
      lanes(
        span(parent, 0, 10),
        span('kubelet:first', 1, 4, { parent }),
        span('kubelet:crosses', 3, 5, { parent }),
        span('kubelet:after', 5, 6, { parent }),
        span('kubelet:outlives', 9, 12, { parent }),
        span('kubelet:stranger', 6, 7),
      ),
    ).toEqual({ p: 0, first: 0, crosses: 1, after: 0, outlives: 1, stranger: 1 });
  });

  it('puts an instant at the end of its parent into the lane of the parent', () => {
    expect(lanes(span('kubelet:p', 0, 10), span('kubelet:i', 10, 10, { parent: 'kubelet:p' }))).toEqual({ p: 0, i: 0 });
  });

  it('places every span once, for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const spans = everySpan(record);
        const placed = assignLanes(spans).map(({ span: one }) => one.id);
        expect(placed.sort()).toEqual(spans.map(({ id }) => id).sort());
      }),
    );
  });
});
