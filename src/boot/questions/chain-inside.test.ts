import { describe, expect, it } from 'vitest';
import { bootRecord, span } from '../testing.ts';
import { insideOf } from './chain-inside.ts';
import { chainPoints, pointNamed } from './chain-points.ts';

const points = chainPoints(
  bootRecord({
    spans: [
      span('cloud-init:stage', 1, 10),
      span('cloud-init:stage/late', 6, 9, { parent: 'cloud-init:stage' }),
      span('cloud-init:stage/early', 2, 5, { parent: 'cloud-init:stage' }),
      span('cloud-init:stage/early/part', 3, 4, { parent: 'cloud-init:stage/early' }),
      span('cloud-init:loop', 1, 2, { parent: 'cloud-init:loop' }),
      span('kubelet:register', 20, 30),
      span('cluster:certificate', 22, 24, { wait: 'for the signer' }),
      span('extension:wait', 29, 40, { wait: 'for the API server' }),
      span('extension:before', 5, 19, { wait: 'for the platform' }),
    ],
  }),
);
const inside = (id: string, endS?: number) => {
  const point = pointNamed(points, id)!;
  return insideOf(points, endS === undefined ? point : { ...point, endUs: endS * 1e6 }).map((part) => part.id);
};

describe('insideOf', () => {
  it('returns all parts in start order', () => {
    expect(inside('cloud-init:stage')).toEqual([
      'cloud-init:stage/early',
      'cloud-init:stage/early/part',
      'cloud-init:stage/late',
    ]);
  });

  it('omits parts after the end of the link, which may be before the end of its span', () => {
    expect(inside('cloud-init:stage', 5.5)).toEqual(['cloud-init:stage/early', 'cloud-init:stage/early/part']);
  });

  it('includes the waits that overlap a link between kubelet and Ready', () => {
    expect(inside('kubelet:register')).toEqual(['cluster:certificate', 'extension:wait']);
  });

  it('does not include the link itself, even if its parent refers to it', () => {
    expect(inside('cloud-init:loop')).toEqual([]);
    expect(inside('cluster:certificate')).toEqual([]);
  });
});
