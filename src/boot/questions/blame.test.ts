import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everySpan } from '../model/all-spans.ts';
import { anyRecord, bootRecord, span } from '../testing.ts';
import { blame, unionUs } from './blame.ts';
import { aksBoot, nodeBoot } from './testing.ts';

describe('blame', () => {
  it('splits a stage into its parts, counts no time twice, and lists waits separately', () => {
    const { work, waits } = blame(nodeBoot);
    expect(work[0]).toMatchObject({ name: 'cloud-final.service', tookUs: 10e6, ownUs: 1e6 });
    expect(work[0]!.parts[0]).toMatchObject({ name: 'modules-final', ownUs: 2e6 });
    expect(work[0]!.parts[0]!.parts[0]).toMatchObject({ name: 'modules-final/config-runcmd', tookUs: 7e6 });
    expect(waits.map((entry) => entry.name)).toEqual(['systemd-networkd-wait-online.service']);
    expect(work.map((entry) => entry.name)).not.toContain('systemd-networkd-wait-online.service');
  });

  it('ranks a stage by its work, without the wait inside it', () => {
    const parked = bootRecord({
      spans: [
        span('cloud-init:init-local', 5, 1008),
        span('cloud-init:azure-ds/_poll_imds', 6, 1006, { parent: 'cloud-init:init-local', wait: 'platform: parked' }),
        span('cloud-init:modules-final', 1014, 1024),
      ],
    });
    const { work, waits } = blame(parked);
    expect(work.map(({ name, tookUs, waitUs }) => [name, tookUs, waitUs])).toEqual([
      ['modules-final', 10e6, 0],
      ['init-local', 1003e6, 1000e6],
    ]);
    expect(waits.map(({ name, tookUs }) => [name, tookUs])).toEqual([['azure-ds/_poll_imds', 1000e6]]);
  });

  it('lists every span that took time once, for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const { work, waits } = blame(record);
        const ids: string[] = [];
        const walk = (entries: typeof work): void => {
          for (const entry of entries) {
            ids.push(entry.id);
            expect(entry.ownUs).toBeGreaterThanOrEqual(0);
            walk(entry.parts);
          }
        };
        walk(work);
        walk(waits.filter((wait) => !ids.includes(wait.id)));
        const timed = everySpan(record)
          .filter((s) => s.endUs > s.startUs)
          .map((s) => s.id);
        expect([...new Set(ids)].sort()).toEqual([...new Set(timed)].sort());
      }),
    );
  });

  it('lists the tasks of a script under it, most work first, and later work of kubelet next to its unit', () => {
    const { work } = blame(aksBoot);
    expect(work.map((entry) => entry.name).slice(0, 3)).toEqual(['AKS.CSE.cse_start', 'become-ready', 'start']);
    expect(work[0]!.parts.map((part) => part.name)).toEqual(['AKS.CSE.ensureKubelet', 'AKS.CSE.installDeps']);
    expect(work.find((entry) => entry.name === 'kubelet.service')!.parts).toEqual([]);
  });
});

describe('unionUs', () => {
  it('counts overlapping intervals once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(60), fc.nat(20))), (pairs) => {
        const seconds = new Set<number>();
        for (const [start, length] of pairs) for (let s = start; s < start + length; s++) seconds.add(s);
        expect(unionUs(pairs.map(([start, length]) => ({ startUs: start, endUs: start + length })))).toBe(seconds.size);
      }),
    );
  });
});
