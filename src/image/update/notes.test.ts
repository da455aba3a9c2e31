import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDeb, aLock, anyLock } from '../lock/lock.testing.ts';
import { diffLocks } from './diff.ts';
import { renderNotes } from './notes.ts';

describe('renderNotes', () => {
  it('lists downgrades first', () => {
    const [a, b] = [aLock({ artifacts: [aDeb('x', '2.0')] }), aLock({ artifacts: [aDeb('x', '1.0')] })];
    expect(renderNotes(diffLocks(a, b)).split('\n').slice(4, 7)).toEqual([
      '## Downgrades',
      '',
      '- **x is downgraded** from 2.0 to 1.0',
    ]);
  });

  it('lists every change exactly once', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (a, b) => {
        const diff = diffLocks(a, b);
        const rows = renderNotes(diff)
          .split('\n')
          .filter((line) => line.startsWith('| ') && !line.startsWith('| component'));
        expect(rows).toHaveLength(diff.changes.length);
      }),
    );
  });

  it('escapes markup and line breaks in names', () => {
    const a = aLock({ artifacts: [aDeb('x', '1.0')] });
    const b = aLock({ artifacts: [aDeb('x', '2.0|<b>\n# now')] });
    const notes = renderNotes(diffLocks(a, b));
    expect(notes).toContain('2.0\\|\\<b\\>\ufffd\\# now');
    expect(notes).not.toContain('\n# now');
  });

  it('calls a hotfix a hotfix', () => {
    const to = aLock({ base: { ...aLock().base, patch: 1 } });
    expect(renderNotes(diffLocks(aLock(), to))).toContain('Hotfix of node 2026.1116.0.');
  });

  it('lists fixed, new and remaining vulnerabilities, or says that there are none', () => {
    const one = (id: string) => ({ id, component: 'x', version: '1.0' });
    const notes = renderNotes(diffLocks(aLock(), aLock()), {
      fixed: [{ ...one('A'), severity: 'high' }],
      new: [one('B')],
      remaining: [one('C')],
    });
    expect(notes).toContain('- fixed: A (high) in x 1.0\n- new: B in x 1.0\n- remaining: C in x 1.0');
    const none = renderNotes(diffLocks(aLock(), aLock()), { fixed: [], new: [], remaining: [] });
    expect(none).toContain('None, according to the given list.');
    expect(renderNotes(diffLocks(aLock(), aLock()))).not.toContain('vulnerabilities');
  });

  it('says that nothing changed, or which Kubernetes versions were added and removed', () => {
    expect(renderNotes(diffLocks(aLock(), aLock()))).toContain('The image has no changes.');
    const notes = renderNotes(diffLocks(aLock(), aLock({ kubernetes: ['1.35.9', '1.36.0'] })));
    expect(notes).toContain('- new: 1.36.0\n- no longer built: 1.35.8');
    expect(notes).toContain('- Kubernetes 1.35.8: no longer built');
  });
});
