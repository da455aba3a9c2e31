import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { readDocument } from './read-document.ts';

const at = (minute: number, second = 0) =>
  `2026-11-16T02:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`;
const ms = (minute: number, second = 0) => Date.parse(at(minute, second));
const list = (items: Json[]): Json => ({ apiVersion: 'v1', kind: 'List', items });
const scaleUp = (time: string, sizes: string): Json => ({
  kind: 'Event',
  reason: 'TriggeredScaleUp',
  firstTimestamp: time,
  message: `pod triggered scale-up: [${sizes}]`,
});
const registered = (name: string, time: string): Json => ({
  kind: 'Event',
  reason: 'RegisteredNode',
  firstTimestamp: null,
  eventTime: time,
  involvedObject: { kind: 'Node', name },
});

describe('readDocument', () => {
  it('reads a list of times, with and without counts', () => {
    const expected = { atMs: [ms(0), ms(1), ms(1)], notes: [] };
    expect(readDocument([at(0), { time: at(1), count: 2 }])).toEqual(expected);
    expect(readDocument({ arrivals: [{ time: at(0) }, { time: at(1), count: 2 }] })).toEqual(expected);
  });

  it('reads when the nodes of a cluster were created', () => {
    const nodes = [1, 2].map((minute) => ({ kind: 'Node', metadata: { creationTimestamp: at(minute) } }));
    expect(readDocument(list(nodes))).toMatchObject({ atMs: [ms(1), ms(2)] });
  });

  it('counts a scale-up once that several pods triggered, and the next one of the same size again', () => {
    const events = [
      scaleUp(at(1, 1), '{pool1 1->3 (max: 10)}'),
      scaleUp(at(1), '{pool1 1->3 (max: 10)}'),
      scaleUp(at(9), '{pool1 1->3 (max: 10)} {pool2 0->1 (max: 5)}'),
    ];
    expect(readDocument(list(events))).toMatchObject({ atMs: [ms(1), ms(1), ms(9), ms(9), ms(9)] });
  });

  it('counts registrations if there is no scale-up, each node once', () => {
    const events = [registered('a', at(5)), registered('b', at(6)), registered('a', at(1))];
    expect(readDocument(list(events))).toMatchObject({ atMs: [ms(1), ms(6)] });
    const both = list([...events, scaleUp(at(0), '{pool1 1->2 (max: 10)}')]);
    expect(readDocument(both)).toMatchObject({
      atMs: [ms(0)],
      notes: [expect.any(String), expect.stringMatching(/^2 /)],
    });
  });

  it.each([
    [5, 'the document'],
    [{}, 'the document'],
    [[at(0), 'x'], '[1]'],
    [{ arrivals: [{ time: at(0), count: -1 }] }, 'arrivals[0]'],
    [list([{ kind: 'Pod' }]), 'items[0].kind'],
    [list([{ kind: 'Node', metadata: {} }]), 'items[0].metadata.creationTimestamp'],
    [list([scaleUp('', '{a 1->2 (max: 3)}')]), 'items[0].firstTimestamp'],
    [list([scaleUp(at(0), 'x')]), 'items[0].message'],
  ])('names the place of a problem in %j', (document, where) => {
    expect(readDocument(document as Json)).toMatchObject({ problem: { where } });
  });
});
