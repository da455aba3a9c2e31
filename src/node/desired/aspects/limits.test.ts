import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../../document/config.ts';
import { aConfig } from '../../document/configs.testing.ts';
import { linesAt, want } from '../desired.testing.ts';

const FILE = '/etc/security/limits.d/90-headstart.conf';
const withLimits = (limits: NodeConfig['os']['limits']) => ({ os: { ...aConfig().os, limits } });

describe('limits of login sessions', () => {
  it('have separate lines for root and are sorted', () => {
    expect(linesAt(FILE, withLimits({ nproc: { hard: 7 }, memlock: { soft: 'unlimited' } }))).toEqual([
      '* soft memlock unlimited',
      'root soft memlock unlimited',
      '* hard nproc 7',
      'root hard nproc 7',
    ]);
  });

  it('are unchanged if the document has none', () => {
    expect(want().files.has(FILE)).toBe(false);
    expect(want(withLimits({ nofile: {} })).files.has(FILE)).toBe(false);
  });
});
