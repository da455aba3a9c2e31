import { describe, expect, it } from 'vitest';
import { span } from '../testing.ts';
import { evidence } from './evidence.ts';
import { isWatched, KUBELET_LOAD_SPAN, mergeJoinSpans } from './joining-spans.ts';
import type { Milestone } from './record.ts';
import { anchor, merge, wallSpan } from './testing.ts';

const seen = (name: Milestone['name'], atS: number, errorUs = 5_000): Milestone => ({
  name,
  atUs: atS * 1e6,
  source: 'cluster',
  errorUs,
});
const ready = [span('kubelet:become-ready', 56, 66.2), span('cluster:become-ready', 56, 66)];
const ids = (spans: readonly { id: string }[]) => spans.map(({ id }) => id);

describe('mergeJoinSpans', () => {
  it('keeps one span from registered to Ready if both kubelet and the cluster report it', () => {
    const [boot] = merge(
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        anchors: [anchor()],
        spans: [span('kubelet:become-ready', 56.4, 66.2)],
      }),
      evidence({
        kind: 'kubernetes-node',
        input: 'n',
        clock: 'wall',
        spans: [wallSpan('cluster:become-ready', 56, 66)],
      }),
    );
    expect(boot!.spans.map(({ id }) => id)).toEqual(['kubelet:become-ready']);
  });

  it('keeps the span of the cluster if a watch observed it, and that of kubelet if the cluster has only whole seconds', () => {
    expect(ids(mergeJoinSpans(ready, [seen('node-ready', 66)], undefined))).toEqual(['cluster:become-ready']);
    expect(ids(mergeJoinSpans(ready, [seen('node-ready', 66, 1e6)], undefined))).toEqual(['kubelet:become-ready']);
    expect(isWatched({ ...seen('node-ready', 66), source: 'kubelet' })).toBe(false);
  });

  it('ends the registration when the cluster observed it, if that is inside the span', () => {
    const register = [span('kubelet:register', 56, 58)];
    expect(mergeJoinSpans(register, [seen('node-registered', 57)], undefined)[0]!.endUs).toBe(57e6);
    expect(mergeJoinSpans(register, [seen('node-registered', 59)], undefined)[0]!.endUs).toBe(58e6);
  });

  it('puts the wait for a certificate inside the work of kubelet if the cluster reports it', () => {
    const bootstrap = span('kubelet:tls-bootstrap', 51, 55, { wait: 'for a certificate' });
    const [, work, wait] = mergeJoinSpans(
      [span('kubelet:start', 50, 56), bootstrap, span('cluster:certificate', 52, 54, { wait: 'for the signer' })],
      [],
      undefined,
    );
    expect(work).not.toHaveProperty('wait');
    expect(work!.parent).toBe('kubelet:start');
    expect(wait!.parent).toBe('kubelet:tls-bootstrap');
    expect(mergeJoinSpans([bootstrap], [], undefined)).toEqual([bootstrap]);
  });

  it('adds a span until the first log line of kubelet if its unit was active before', () => {
    const start = span('kubelet:start', 50, 56);
    expect(mergeJoinSpans([start], [], 49e6).at(-1)).toMatchObject({
      id: KUBELET_LOAD_SPAN,
      startUs: 49e6,
      endUs: 50e6,
    });
    expect(ids(mergeJoinSpans([start], [], 51e6))).toEqual(['kubelet:start']);
    expect(ids(mergeJoinSpans([start, span(KUBELET_LOAD_SPAN, 49, 50)], [], 49e6))).toEqual([
      'kubelet:start',
      KUBELET_LOAD_SPAN,
    ]);
  });
});
