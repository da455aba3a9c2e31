import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { MILESTONE_NAMES } from '../model/record.ts';
import { caught } from '../testing.ts';
import { parseBudget } from './budget.ts';

describe('parseBudget', () => {
  it('merges names at the top level into their sections, which take precedence', () => {
    expect(parseBudget({ kernel: '1s', phases: { kernel: '2s', userspace: '3s' }, 'node-ready': 4 }, 'b')).toEqual({
      phases: { kernel: 2e6, userspace: 3e6 },
      milestones: { 'node-ready': 4e6 },
    });
  });

  it('reports every problem at once, each with its path', () => {
    const document = {
      total: 'soon',
      phases: { kernal: '2s', kernel: [] },
      units: { 'a.service': '2 parsecs' },
      unit: {},
      milestones: 5,
    };
    const error = caught(() => parseBudget(document, 'budget.yaml'));
    for (const text of ['total: ', 'phases.kernel: ', 'units.a.service: ', "unknown 'unit'", 'milestones: '])
      expect(error.message).toContain(text);
    expect(error.exitCode).toBe(2);
    expect(caught(() => parseBudget({ phases: { kernal: '2s' } }, 'b')).message).toContain(
      'phases.kernal: unknown name (did you mean kernel',
    );
  });

  it.each([null, [], 'text', {}, { units: {} }])('refuses %j, which would pass every boot', (document) => {
    expect(caught(() => parseBudget(document, 'budget.yaml')).code).toBe('boot/bad-budget');
  });

  it('accepts every milestone in its section and at the top level, except the one before the boot', () => {
    for (const name of MILESTONE_NAMES) {
      if (name === 'vm-created' || name === 'userspace') continue;
      expect(parseBudget({ [name]: 1 }, 'b')).toEqual({ milestones: { [name]: 1e6 } });
    }
    expect(caught(() => parseBudget({ milestones: { 'vm-created': 1 } }, 'b')).message).toContain('unknown name');
    expect(parseBudget({ userspace: 1 }, 'b')).toEqual({ phases: { userspace: 1e6 } });
  });

  it('throws only UserErrors on any document', () => {
    fc.assert(
      fc.property(fc.object({ key: fc.constantFrom('total', 'phases', 'units', 'kernel', 'a') }), (document) => {
        try {
          parseBudget(document, 'b');
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
