import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { type BootRecord, startTookUs } from '../model/record.ts';
import { caught } from '../testing.ts';
import { parseEdit, type WhatIfEdit } from './edits.ts';
import { anyUnits, bootOf, cloudFinal, ran } from './what-if.testing.ts';
import { whatIf } from './what-if.ts';

const edit = (kind: WhatIfEdit['kind'], text: string) => parseEdit(kind, text);

describe('what-if on the pasted listing of cloud-final', () => {
  const added = edit('add', 'kubelet.service After=cloud-final.service Took=2s');

  it('saves 14.428 s when a kubelet added after cloud-final moves to basic.target', () => {
    const moves = [
      edit('drop-after', 'kubelet.service cloud-final.service'),
      edit('after', 'kubelet.service basic.target'),
    ];
    const answer = whatIf(cloudFinal(), [added, ...moves], 'kubelet.service');
    expect(answer.before.targetUs).toBe(47_632_000);
    expect(answer.after.targetUs).toBe(33_204_000);
    expect(answer.savedUs).toBe(14_428_000);
    expect(answer.chain.slice(0, 3).map((link) => link.unit)).toEqual([
      'kubelet.service',
      'basic.target',
      'paths.target',
    ]);
  });

  it('saves 14.202 s when cloud-config and cloud-final take no time', () => {
    const edits = [edit('set', 'cloud-final.service=0s'), edit('set', 'cloud-config.service=0s')];
    expect(whatIf(cloudFinal(), edits, 'cloud-final.service').savedUs).toBe(14_202_000);
  });

  it('uses the unit that became active last as the target if no default target is known', () => {
    const record = cloudFinal();
    record.units = record.units.filter((u) => !u.name.endsWith('.target'));
    expect(whatIf(record, []).target).toBe('cloud-final.service');
    expect(whatIf(cloudFinal(), []).target).toBe('cloud-final.service'); // the root of the listing
  });

  it('notes that a pasted chain has only part of the ordering', () => {
    expect(whatIf(cloudFinal(), []).notes.join()).toContain('one After= per unit');
  });
});

describe('whatIf', () => {
  const diamond = (): BootRecord =>
    bootOf([
      ran('base.target', 1, 1),
      ran('slow.service', 1.5, 9, ['base.target']),
      ran('quick.service', 2, 3, ['base.target']),
      ran('end.target', 9.25, 9.25, ['slow.service', 'quick.service', 'absent.service']),
      ran('never.service', 0, 0, ['base.target']),
    ]);

  it('uses the latest remaining After= dependency if an edge is dropped', () => {
    const answer = whatIf(diamond(), [edit('drop-after', 'end.target slow.service')], 'end.target');
    expect(answer.after.targetUs).toBe(3_250_000);
    expect(answer.chain.map((link) => link.unit)).toEqual(['end.target', 'quick.service', 'base.target']);
  });

  it('does not carry ordering through a masked unit, and notes which unit requires it', () => {
    const record = diamond();
    record.units[3]!.requires = ['slow.service'];
    const answer = whatIf(record, [edit('mask', 'slow.service'), edit('mask', 'quick')], 'end.target');
    expect(answer.after.targetUs).toBe(1_250_000);
    expect(answer.notes).toContain('masking slow.service would make end.target fail, which requires it');
    expect(answer.assumption).toContain('After= does not reach through');
  });

  it('never starts a unit without dependencies before userspace', () => {
    const record = bootOf(
      [
        ran('early.mount', 1, 1),
        ran('first.slice', 5, 5),
        ran('a.service', 6, 7, ['first.slice']),
        ran('b.service', 7.5, 8, ['a.service']),
      ],
      4,
    );
    const answer = whatIf(record, [edit('drop-after', 'b.service a.service')], 'b.service');
    expect(answer.after).toEqual({ targetUs: 6_000_000, sinceUserspaceUs: 2_000_000 });
  });

  it('edge case 24: a failed unit counts until it failed', () => {
    const failed = { ...ran('fails.service', 2, 0), deactivatedUs: 6_000_000 };
    const record = bootOf([ran('a.slice', 1, 1), failed, ran('end.target', 6, 6, ['fails.service'])]);
    expect(whatIf(record, [edit('set', 'fails.service=1s')], 'end.target').savedUs).toBe(3_000_000);
  });

  it('edge case 25: a dependency that was restarted later delayed no other unit', () => {
    const record = bootOf([
      ran('a.slice', 1, 1),
      ran('again.service', 300, 310, ['a.slice']),
      ran('end.target', 6, 6, ['again.service', 'a.slice']),
    ]);
    const dropped = whatIf(record, [edit('drop-after', 'end.target again.service')], 'end.target');
    expect(dropped.savedUs).toBe(0);
    expect(dropped.notes).toContain('end.target did not wait for again.service: nothing to drop');
    expect(whatIf(record, [edit('mask', 'again.service')], 'end.target').savedUs).toBe(0);
  });

  it('edge case 27: breaks an After= cycle in the recording by the observed order', () => {
    const record = bootOf([
      ran('a.target', 5, 5, ['c.target']),
      ran('b.target', 5, 5, ['a.target']),
      ran('c.target', 5, 5, ['b.target', 'work.service']),
      ran('work.service', 1, 5),
    ]);
    const answer = whatIf(record, [edit('set', 'work.service=0')], 'c.target');
    expect(answer.savedUs).toBe(0); // b and a, without the cycle, were observed at 5 s
    expect(whatIf(record, []).savedUs).toBe(0);
  });

  it('names the cycle that an edit would create', () => {
    const error = caught(() => whatIf(diamond(), [edit('after', 'base.target end.target')]));
    expect(error.code).toBe('boot/ordering-cycle');
    expect(error.message).toMatch(/base\.target after end\.target after \w+\.service after base\.target/);
  });

  it.each([
    ['drop-after', 'kubelet.servise base.target'],
    ['after', 'end.target bsae.target'],
    ['mask', 'slwo.service'],
    ['set', 'quik.service=1s'],
    ['add', 'new.service After=qiuck.service'],
  ] as const)('refuses %s %s with a unit that is not in the recording', (kind, text) => {
    const error = caught(() => whatIf(diamond(), [edit(kind, text)]));
    expect(error.code).toBe('boot/no-such-unit');
    if (kind !== 'drop-after') expect(error.message).toContain('did you mean');
  });

  it('edge case 23: notes that edits of a unit that never ran have no effect', () => {
    const answer = whatIf(
      diamond(),
      [edit('after', 'end.target never.service'), edit('mask', 'never.service')],
      'end.target',
    );
    expect(answer.savedUs).toBe(0);
    expect(answer.notes).toHaveLength(2);
  });

  it('refuses a target that is masked, never ran or is unknown, and a recording without units', () => {
    expect(caught(() => whatIf(diamond(), [edit('mask', 'end.target')], 'end.target')).code).toBe('boot/target-masked');
    expect(caught(() => whatIf(diamond(), [], 'never.service')).code).toBe('boot/target-never-ran');
    expect(caught(() => whatIf(diamond(), [], 'nowhere.service')).code).toBe('boot/no-such-unit');
    expect(caught(() => whatIf(bootOf([]), [])).code).toBe('boot/no-units');
    expect(caught(() => whatIf(diamond(), [edit('add', 'base.target')])).code).toBe('boot/unit-exists');
  });

  it('edge case 30: finds a unit by its alias', () => {
    const record = diamond();
    record.units[3]!.aliases = ['default.target'];
    expect(whatIf(record, [], 'default.target').target).toBe('end.target');
  });
});

describe('whatIf for any graph', () => {
  it('changes nothing without edits, for any target', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const record = bootOf(units);
        for (const { name, activatingUs, activatedUs, deactivatedUs } of units) {
          if (activatingUs === 0) continue;
          const answer = whatIf(record, [], name);
          const endUs = activatedUs >= activatingUs ? activatedUs : Math.max(deactivatedUs, activatingUs);
          expect(answer.before.targetUs).toBe(endUs);
          expect(answer.after.targetUs).toBe(endUs);
          expect(answer.savedUs).toBe(0);
        }
      }),
    );
  });

  it('never delays the target if edges are dropped and units shortened', () => {
    fc.assert(
      fc.property(anyUnits(), fc.infiniteStream(fc.nat({ max: 1000 })), (units, stream) => {
        const record = bootOf(units);
        const pick = () => stream.next().value ?? 0;
        const started = units.filter((u) => u.activatingUs > 0);
        if (started.length === 0) return;
        const edits: WhatIfEdit[] = [];
        for (const u of started) {
          if (pick() % 3 === 0) edits.push({ kind: 'set', unit: u.name, tookUs: 0 });
          for (const d of new Set(u.after)) {
            if (units.some((v) => v.name === d) && pick() % 3 === 0)
              edits.push({ kind: 'drop-after', unit: u.name, dependency: d });
          }
        }
        for (const u of started) expect(whatIf(record, edits, u.name).savedUs).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('changes nothing if each unit takes its observed time', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const started = units.filter((u) => u.activatingUs > 0);
        const observed = started.map((u): WhatIfEdit => ({ kind: 'set', unit: u.name, tookUs: startTookUs(u) }));
        for (const { name } of started) expect(whatIf(bootOf(units), observed, name).savedUs).toBe(0);
      }),
    );
  });

  it('never reaches a target before the first unit, nor saves more than the whole time', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const started = units.filter((u) => u.activatingUs > 0);
        const firstUs = Math.min(...started.map((u) => u.activatingUs));
        const shortest = started.flatMap((u): WhatIfEdit[] => [
          { kind: 'set', unit: u.name, tookUs: 0 },
          ...u.after
            .filter((d) => started.some(({ name }) => name === d))
            .map((d): WhatIfEdit => ({ kind: 'drop-after', unit: u.name, dependency: d })),
        ]);
        for (const { name } of started)
          expect(whatIf(bootOf(units), shortest, name).after.targetUs).toBeGreaterThanOrEqual(firstUs);
      }),
    );
  });

  it('refuses each target that an edit masks', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        for (const { name } of units.filter((u) => u.activatingUs > 0))
          expect(caught(() => whatIf(bootOf(units), [{ kind: 'mask', unit: name }], name)).code).toBe(
            'boot/target-masked',
          );
      }),
    );
  });

  it('returns a result or throws a UserError for any edits, and a saving is always a number', () => {
    const kinds = fc.constantFrom('add', 'after', 'drop-after', 'set', 'mask');
    const anyEdit = fc
      .record({ kind: kinds, unit: fc.nat({ max: 12 }), dependency: fc.nat({ max: 12 }), tookUs: fc.nat() })
      .map(
        ({ kind, unit, dependency, tookUs }) =>
          ({
            kind,
            unit: `u${unit}.service`,
            dependency: `u${dependency}.service`,
            after: [`u${dependency}.service`],
            tookUs,
          }) as WhatIfEdit,
      );
    fc.assert(
      fc.property(anyUnits(), fc.array(anyEdit, { maxLength: 6 }), (units, edits) => {
        try {
          expect(whatIf(bootOf(units), edits).savedUs).not.toBeNaN();
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
