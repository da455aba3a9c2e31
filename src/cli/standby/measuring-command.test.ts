import { describe, expect, it } from 'vitest';
import { measuringCommand } from './measuring-command.ts';

describe('the command that measures a tier', () => {
  it.each([
    ['paused', {}, 'up p --paused 1 && headstart standby claim p'],
    ['stopped', { stopped: 3 }, 'up p --stopped 3 && headstart standby claim p'],
    ['frozen', { stopped: 2 }, 'up p --frozen 1 && headstart standby claim p'],
  ] as const)('claims %s where the pool keeps no faster tier: %j', (tier, kept, rest) => {
    expect(measuringCommand('p', tier, { paused: 0, frozen: 0, stopped: 0, ...kept })).toBe(
      `headstart standby ${rest}`,
    );
  });

  it('keeps no faster tier for as long as that, because a claim takes the fastest', () => {
    expect(measuringCommand('p', 'stopped', { paused: 1, frozen: 2, stopped: 0 })).toBe(
      [
        'headstart standby up p --paused 0 --frozen 0 --stopped 1',
        'headstart standby claim p --no-refill',
        'headstart standby up p --paused 1 --frozen 2 --stopped 0',
      ].join(' && '),
    );
    expect(measuringCommand('p', 'frozen', { paused: 1, frozen: 2, stopped: 4 })).toBe(
      [
        'headstart standby up p --paused 0 --frozen 2',
        'headstart standby claim p --no-refill',
        'headstart standby up p --paused 1 --frozen 2',
      ].join(' && '),
    );
  });

  it('needs no pool on this machine', () => {
    expect(measuringCommand('p', 'stopped', undefined)).toBe(
      'headstart standby up p --stopped 1 && headstart standby claim p',
    );
  });
});
