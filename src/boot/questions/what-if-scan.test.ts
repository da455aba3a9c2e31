import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caught } from '../testing.ts';
import { parseEdit, type WhatIfEdit } from './edits.ts';
import { anyUnits, bootOf, cloudFinal, ran } from './what-if.testing.ts';
import { whatIf } from './what-if.ts';
import { whatIfScan } from './what-if-scan.ts';

describe('whatIfScan', () => {
  it('lists the best edit first, and omits edits that save nothing', () => {
    const record = bootOf([
      ran('base.target', 1, 1),
      ran('slow.service', 1.5, 9, ['base.target']),
      ran('quick.service', 2, 3, ['base.target']),
      ran('app.service', 9.25, 10, ['slow.service', 'quick.service']),
    ]);
    const { candidates, before } = whatIfScan(record, { limit: 10, target: 'app.service' });
    expect(before.targetUs).toBe(10e6);
    // Without slow.service, the target still waits for quick.service, which is active at 3 s.
    expect(candidates.map(({ text, savedUs }) => [text, savedUs])).toEqual([
      ["--drop-after 'app.service slow.service'", 6e6],
      ["--mask 'slow.service'", 6e6],
      ["--set 'slow.service=0s'", 6e6],
      ["--set 'app.service=0s'", 0.75e6],
    ]);
  });

  it('marks an edit that only makes the target wait for less', () => {
    const { candidates } = whatIfScan(cloudFinal(), { limit: 100, target: 'multi-user.target' });
    const weakening = candidates.filter(({ weakensTarget }) => weakensTarget).map(({ text }) => text);
    expect(weakening).toEqual(["--drop-after 'multi-user.target ephemeral-disk-warning.service'"]);
  });

  it('applies the given edits first, and notes those without effect', () => {
    const edits = [parseEdit('set', 'cloud-init.service=0s')];
    const scan = whatIfScan(cloudFinal(), { limit: 1, edits, target: 'cloud-final.service' });
    expect(scan.before.targetUs).toBe(45_632_000 - 20_216_000);
    expect(scan.candidates[0]!.text).not.toContain('cloud-init.service');
  });

  it('refuses a target that the edits mask', () => {
    const edits = [parseEdit('mask', 'cloud-final.service')];
    const error = caught(() => whatIfScan(cloudFinal(), { limit: 1, edits, target: 'cloud-final.service' }));
    expect(error.code).toBe('boot/target-masked');
  });

  it('predicts exactly what the edit saves, and misses no better edit', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const record = bootOf(units);
        const started = units.filter((u) => u.activatingUs > 0);
        for (const { name } of started.slice(0, 4)) {
          const { candidates } = whatIfScan(record, { limit: 1000, target: name });
          for (const { edit, savedUs, afterUs } of candidates) {
            const made = whatIf(record, [edit], name);
            expect([made.savedUs, made.after.targetUs]).toEqual([savedUs, afterUs]);
          }
          const every: WhatIfEdit[] = started.flatMap((u) => [
            { kind: 'set', unit: u.name, tookUs: 0 } as const,
            ...(u.name === name ? [] : [{ kind: 'mask', unit: u.name } as const]),
            ...u.after
              .filter((d) => units.some((v) => v.name === d))
              .map((d) => ({ kind: 'drop-after', unit: u.name, dependency: d }) as const),
          ]);
          const best = every.reduce((max, e) => Math.max(max, whatIf(record, [e], name).savedUs), 0);
          expect(candidates[0]?.savedUs ?? 0).toBe(best);
        }
      }),
    );
  });

  it('edge case 50: scans a chain of 20,000 units without overflowing the stack or a pass per unit', () => {
    const units = Array.from({ length: 20_000 }, (_, i) =>
      ran(`u${i}.service`, i + 1, i + 1.5, i === 0 ? [] : [`u${i - 1}.service`]),
    );
    const scan = whatIfScan(bootOf(units), { limit: 5 });
    expect(scan.candidates).toHaveLength(5);
    expect(scan.target).toBe('u19999.service');
  });
});
