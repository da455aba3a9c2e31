import { describe, expect, it } from 'vitest';
import type { BootRecord, Span } from '../model/record.ts';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';
import { chainPoints, pointNamed } from './chain-points.ts';
import { beforeOnWayToReady, kubeletBefore } from './chain-to-ready.ts';

const registered = { name: 'node-registered', atUs: 22e6, source: 'cluster' } as const;
const ready = { name: 'node-ready', atUs: 30e6, source: 'cluster' } as const;
const kubelet = unit('kubelet.service', 19, 1);
const load = (startS: number): Span => span('kubelet:load', startS, startS + 0.2);

function previous(name: string, more: Partial<BootRecord>): string | undefined {
  const points = chainPoints(bootRecord(more));
  return beforeOnWayToReady(points, pointNamed(points, name)!)?.id;
}

describe('beforeOnWayToReady', () => {
  it('returns the registration if no span is between', () => {
    expect(previous('node-ready', { units: [kubelet], milestones: [registered, ready] })).toBe(
      'milestone:node-registered',
    );
    expect(previous('node-registered', { units: [kubelet], milestones: [registered, ready] })).toBe(
      'systemd:kubelet.service',
    );
  });

  it('returns a span of kubelet that ended after the registration', () => {
    const spans = [span('kubelet:become-ready', 22.5, 29)];
    expect(previous('node-ready', { units: [kubelet], spans, milestones: [registered, ready] })).toBe(
      'kubelet:become-ready',
    );
  });

  it('ignores spans that ended before kubelet started', () => {
    const spans = [span('extension:wait', 5, 9, { wait: 'for the platform' })];
    expect(previous('node-registered', { units: [kubelet], spans, milestones: [registered] })).toBe(
      'systemd:kubelet.service',
    );
  });

  it('includes a kubelet span before the start of kubelet, within the clock error', () => {
    const boot = (errorUs: number) => ({
      clock: { zero: 'kernel' as const, errorUs },
      units: [kubelet],
      spans: [span('kubelet:start', 18.7, 21)],
      milestones: [registered],
    });
    expect(previous('node-registered', boot(0))).toBe('systemd:kubelet.service');
    expect(previous('node-registered', boot(500_000))).toBe('kubelet:start');
  });

  it('returns the first start of a kubelet that was restarted since', () => {
    const restarted = { units: [unit('kubelet.service', 50, 1)], spans: [load(18)], milestones: [registered] };
    const points = chainPoints(bootRecord(restarted));
    const first = beforeOnWayToReady(points, pointNamed(points, 'kubelet:load')!);
    expect(first).toMatchObject({ id: 'systemd:kubelet.service', startUs: 18e6, endUs: 18e6 });
  });

  it('returns the end of startup if no source reports kubelet, and undefined if that came later', () => {
    const manager = (finishUs: number) => ({ manager: managerTimes({ finishUs }), milestones: [ready] });
    expect(previous('node-ready', manager(25e6))).toBe('milestone:startup-finished');
    expect(previous('node-ready', manager(35e6))).toBeUndefined();
  });
});

describe('kubeletBefore', () => {
  const wait = span('extension:wait', 19.5, 25, { wait: 'for the API server' });
  const depends = (errorUs: number) => {
    const points = chainPoints(bootRecord({ clock: { zero: 'kernel', errorUs }, units: [kubelet], spans: [wait] }));
    return kubeletBefore(points, pointNamed(points, wait.id)!)?.name;
  };

  it('returns kubelet for a wait that began after kubelet was active, within the clock error', () => {
    expect(depends(0)).toBeUndefined();
    expect(depends(600_000)).toBe('kubelet.service');
  });
});
