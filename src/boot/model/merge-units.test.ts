import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { evidence, type SourceKind } from './evidence.ts';
import { mergeUnits } from './merge-units.ts';
import type { Unit } from './record.ts';
import { merge } from './testing.ts';

const listing = (kind: SourceKind, units: Unit[], shiftUs = 0) => ({
  evidence: evidence({ kind, input: kind, clock: 'monotonic', units }),
  shift: (us: number) => us + shiftUs,
});

describe('the units of a boot', () => {
  it('lets the listing that saw most units start be the order of the units', () => {
    const [boot] = merge(
      evidence({
        kind: 'systemctl-units',
        input: '1',
        clock: 'monotonic',
        units: [unit('b.service', 0, 0), unit('a.service', 1, 1)],
      }),
      evidence({
        kind: 'systemctl-units',
        input: '2',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1, ['b.service']), unit('c.service', 2, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service', 'c.service', 'b.service']);
    expect(boot!.units[0]!.after).toEqual(['b.service']);
  });

  it('does not top up what the manager itself lists: a unit only the journal saw is a span', () => {
    const [boot] = merge(
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 1, 1)] }),
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1), unit('gone.service', 4, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service']);
    expect(boot!.spans).toMatchObject([{ id: 'systemd:gone.service', startUs: 4e6, endUs: 5e6 }]);
  });

  it('are added up where no listing is complete: times and edges from the one that has them', () => {
    const { units } = mergeUnits([
      listing('analyze-blame', [unit('a.service', 0, 0)]),
      listing('journal-json', [unit('a.service', 5, 2), unit('b.service', 6, 1)]),
      listing('analyze-critical-chain', [unit('a.service', 4, 2, ['base.target'])]),
    ]);
    expect(units).toMatchObject([
      { name: 'a.service', activatingUs: 4e6, after: ['base.target'] },
      { name: 'b.service', activatingUs: 6e6 },
    ]);
  });

  it('are moved onto the clock of the record, a unit that never started stays so', () => {
    const { units } = mergeUnits([
      listing('analyze-plot-json', [unit('a.service', 5, 2), unit('b.service', 0, 0)], 3e6),
    ]);
    expect(units.map(({ activatingUs }) => activatingUs)).toEqual([8e6, 0]);
  });

  it('say which listings were not needed beside a complete one', () => {
    const { unused } = mergeUnits([
      listing('systemctl-units', [unit('a.service', 5, 2)]),
      listing('analyze-blame', [unit('a.service', 5, 2)]),
      listing('journal-json', [unit('a.service', 5, 2)]),
    ]);
    expect([...unused]).toEqual(['analyze-blame']);
  });

  it('do not make a span of a unit under another of its names, nor of one that took no time', () => {
    const { spans } = mergeUnits([
      listing('systemctl-units', [unit('ssh.service', 5, 2, [], { aliases: ['sshd.service'] })]),
      listing('journal-json', [unit('sshd.service', 5, 2), unit('instant.target', 6, 0), unit('gone.service', 6, 1)]),
      listing('journal-text', [unit('gone.service', 6, 1)]),
    ]);
    expect(spans.map(({ id }) => id)).toEqual(['systemd:gone.service']);
  });

  it('are none where no piece lists any', () => {
    expect(mergeUnits([])).toEqual({ units: [], spans: [], unused: new Set() });
  });
});
