import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeAddress, isServiceAddress, metadataAddress, wireServerAddress } from './addresses.ts';

const toNumber = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

describe('freeAddress', () => {
  it('gives every instance an address, a range of sixteen, and a unique MAC', () => {
    const taken: string[] = [];
    const macs = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const next = freeAddress(taken)!;
      for (const other of taken) expect(Math.abs(toNumber(next.ip) - toNumber(other))).toBeGreaterThanOrEqual(16);
      taken.push(next.ip);
      macs.add(next.mac);
    }
    expect(macs.size).toBe(500);
  });

  it('reuses an address that is free again', () => {
    const three = [1, 2, 3].reduce<string[]>((taken) => [...taken, freeAddress(taken)!.ip], []);
    fc.assert(
      fc.property(fc.constantFrom(...three), (gone) => {
        expect(freeAddress(three.filter((ip) => ip !== gone))!.ip).toBe(gone);
      }),
    );
  });

  it('never gives an address of the platform, of a service, or that looks like a network', () => {
    const taken: string[] = [];
    for (let i = 0; i < 300; i++) taken.push(freeAddress(taken)!.ip);
    for (const ip of taken) {
      expect(isServiceAddress(ip)).toBe(false);
      expect([metadataAddress, wireServerAddress]).not.toContain(ip);
      expect(ip).toMatch(/^168\.\d+\.\d+\.(?!0$|255$)\d+$/);
    }
  });
});

describe('isServiceAddress', () => {
  it.each(['168.0.0.100', '168.0.200.1'])('%s is a service address', (ip) => expect(isServiceAddress(ip)).toBe(true));
  it.each(['168.0.0.2', '168.0.0.3', '168.1.0.4', '10.0.0.1', wireServerAddress, metadataAddress])(
    '%s is not a service address',
    (ip) => expect(isServiceAddress(ip)).toBe(false),
  );
});
