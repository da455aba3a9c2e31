import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../../document/config.ts';
import { aConfig } from '../../document/configs.testing.ts';
import { linesAt, want } from '../desired.testing.ts';

const [LOAD, OPTIONS] = ['/etc/modules-load.d/90-headstart.conf', '/etc/modprobe.d/90-headstart.conf'];
const withModules = (modules: NodeConfig['os']['modules']) => ({ os: { ...aConfig().os, modules } });

describe('kernel modules', () => {
  it('are loaded now and at each boot, in sorted order', () => {
    const over = withModules({ overlay: { parameters: {} }, br_netfilter: { parameters: {} } });
    expect(linesAt(LOAD, over)).toEqual(['br_netfilter', 'overlay']);
    expect(want(over).live.get('module overlay')?.value).toBe('loaded');
    expect(want(over).files.has(OPTIONS)).toBe(false);
  });

  it('with changed parameters need a reboot, because a module in use cannot be reloaded', () => {
    const over = withModules({ a: { parameters: { y: '2', x: '1' } }, b: { parameters: {} } });
    expect(linesAt(OPTIONS, over)).toEqual(['options a x=1 y=2']);
    expect([want(over).files.get(OPTIONS)?.class, want(over).files.get(LOAD)?.class]).toEqual([6, 0]);
  });

  it('are unchanged if the document names none', () => {
    expect(want().files.has(LOAD)).toBe(false);
  });
});
