import { describe, expect, it } from 'vitest';
import { bootRecord, span, unit } from '../testing.ts';
import { chainPoints, lastEnded, type Point, pointNamed, unitPoint } from './chain-points.ts';

const at = (s: number): Point => ({ id: 'point', name: 'point', source: 'systemd', startUs: s * 1e6, endUs: s * 1e6 });

describe('chainPoints', () => {
  const points = chainPoints(
    bootRecord({
      units: [unit('app.service', 4, 3, [], { aliases: ['alias.service'] }), unit('never.service', 0, 0)],
      spans: [
        span('cloud-init:modules-final', 5, 9),
        span('cloud-init:modules-final/config-scripts-user', 6, 8, { parent: 'cloud-init:modules-final' }),
        span('cloud-init:modules-final/config-ntp', 8, 9, { parent: 'cloud-init:modules-final' }),
        span('cloud-init:orphan', 1, 2, { parent: 'cloud-init:not-there' }),
        span('extension:task', 5, 6),
        span('guest-agent:wait', 6, 7, { wait: 'for the platform' }),
        span('kubelet:start', 8, 9),
      ],
      milestones: [{ name: 'node-ready', atUs: 12e6, source: 'cluster' }],
    }),
  );

  it('finds a point by milestone name, unit name, alias or span id', () => {
    expect(pointNamed(points, 'node-ready')).toMatchObject({ id: 'milestone:node-ready', startUs: 12e6, endUs: 12e6 });
    expect(pointNamed(points, 'alias.service')).toMatchObject({ id: 'systemd:app.service', endUs: 7e6 });
    expect(pointNamed(points, 'extension:task')).toMatchObject({ name: 'task' });
    expect(pointNamed(points, 'other')).toBeUndefined();
  });

  it('omits a unit that never started', () => {
    expect(unitPoint(points, 'never.service')).toBeUndefined();
  });

  it('groups spans by source', () => {
    const ids = (spans: readonly { id: string }[]) => spans.map(({ id }) => id);
    expect(ids(points.stages)).toEqual(['cloud-init:modules-final', 'cloud-init:orphan']);
    expect(ids(points.startingModules)).toEqual(['cloud-init:modules-final/config-scripts-user']);
    expect(ids(points.agentTasks)).toEqual(['extension:task', 'guest-agent:wait']);
    expect(ids(points.joining)).toEqual(['kubelet:start']);
    expect(ids(points.joiningAndWaits)).toEqual(['kubelet:start', 'guest-agent:wait']);
  });
});

describe('lastEnded', () => {
  const spans = [span('cloud-init:a', 1, 5), span('cloud-init:b', 3, 5), span('cloud-init:c', 4, 9)];

  it('returns the longest of the spans that ended together', () => {
    expect(lastEnded(spans, at(6))?.id).toBe('cloud-init:a');
    expect(lastEnded([...spans].reverse(), at(6))?.id).toBe('cloud-init:a');
  });

  it('ignores spans before the given instant and the point itself', () => {
    expect(lastEnded(spans, at(6), 2e6)?.id).toBe('cloud-init:b');
    expect(lastEnded(spans, { ...at(9), id: 'cloud-init:c' })?.id).toBe('cloud-init:a');
    expect(lastEnded(spans, at(4))).toBeUndefined();
  });
});
