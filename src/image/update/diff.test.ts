import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aBinary, aDeb, aFile, aLock, anyLock } from '../lock/lock.testing.ts';
import { compareVersions } from '../manifest/compare-versions.ts';
import { diffVulnerabilities, findVulnerabilities } from '../report/vulnerabilities.ts';
import { readFeed } from '../report/vulnerability-feed.ts';
import { type Change, diffLocks, isSame } from './diff.ts';
import { renderNotes } from './notes.ts';

const OTHER_WAY: Readonly<Record<Change['change'], Change['change']>> = {
  added: 'removed',
  removed: 'added',
  up: 'down',
  down: 'up',
  'same-version': 'same-version',
};

describe('the difference of two locks', () => {
  it('is nothing between a lock and itself', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(isSame(diffLocks(lock, lock))).toBe(true);
      }),
    );
  });

  it('is the same the other way round, with every word turned', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (a, b) => {
        const [there, back] = [diffLocks(a, b).changes, diffLocks(b, a).changes];
        expect(back.map(({ component, change }) => [component, change])).toEqual(
          there.map(({ component, change }) => [component, OTHER_WAY[change]]),
        );
      }),
    );
  });

  it('explains exactly the change in size', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (a, b) => {
        const { changes, sizes } = diffLocks(a, b);
        const changed = changes.reduce((sum, { from, to }) => sum + (to?.bytes ?? 0) - (from?.bytes ?? 0), 0);
        expect(sizes[0]!.toBytes! - sizes[0]!.fromBytes!).toBe(changed);
      }),
    );
  });

  it('tells newer from older as numbers, not as text', () => {
    const [a, b] = [aLock({ artifacts: [aDeb('x', '1.9')] }), aLock({ artifacts: [aDeb('x', '1.10')] })];
    expect(diffLocks(a, b).changes.map(({ change }) => change)).toEqual(['up']);
  });

  it('sees other bytes under the same version, another mode, and another place', () => {
    const kubelet = aBinary('kubelet', '1.35.8');
    const [file, moved] = [aFile('a', '/etc/a', 'x'), { ...aFile('a', '/etc/a', 'x'), mode: 0o600 }];
    const a = aLock({ artifacts: [kubelet], files: [file] });
    const b = aLock({ artifacts: [{ ...kubelet, install: { to: '/opt/kubelet' } }], files: [moved] });
    const c = aLock({ artifacts: [{ ...kubelet, sha256: 'f'.repeat(64) }], files: [file] });
    expect(diffLocks(a, b).changes.map(({ component, change }) => [component, change])).toEqual([
      ['kubelet', 'same-version'],
      ['a', 'same-version'],
    ]);
    expect(diffLocks(a, c).changes).toHaveLength(1);
  });

  it('is told per Kubernetes version', () => {
    const before = aLock();
    const after = aLock({
      artifacts: before.artifacts.map((one) =>
        one.kubernetes === '1.35.9'
          ? aBinary('kubelet', '1.35.9', { kubernetes: '1.35.9', sha256: 'e'.repeat(64) })
          : one,
      ),
    });
    expect(diffLocks(before, after).changes).toMatchObject([{ component: 'kubelet', kubernetes: '1.35.9' }]);
  });

  it('names versions that came and went, and the base', () => {
    const base = { ...aLock().base, date: '2026.1120' };
    const { kubernetes, facts } = diffLocks(aLock(), aLock({ kubernetes: ['1.35.9', '1.36.0'], base }));
    expect(kubernetes).toEqual({ added: ['1.36.0'], removed: ['1.35.8'] });
    expect(facts.map(({ what }) => what)).toEqual(['package snapshot']);
  });
});

describe('versions of what is no package', () => {
  it.each([
    ['1.35.9', '1.35.10', -1],
    ['v1.2.0', '1.2.0', 0],
    ['1.2.0-rc.1', '1.2.0', -1],
    ['1.2.0+build2', '1.2.0+build1', 0],
  ])('%s and %s', (a, b, sign) => expect(Math.sign(compareVersions('binary', a, b))).toBe(sign));
});

describe('known vulnerabilities', () => {
  const lockWith = (version: string) =>
    aLock({ artifacts: [aDeb('libssl3', version, { path: `pool/main/o/openssl/libssl3_${version}_amd64.deb` })] });
  const osv = (events: object[], more: object = {}) =>
    JSON.stringify([
      {
        id: 'CVE-2026-1',
        database_specific: { severity: 'high' },
        affected: [
          { package: { ecosystem: 'Debian:12', name: 'openssl' }, ranges: [{ type: 'ECOSYSTEM', events }], ...more },
        ],
      },
    ]);
  const fixed = osv([{ introduced: '0' }, { fixed: '3.0.17' }]);

  it.each([
    ['3.0.16', ['CVE-2026-1']],
    ['3.0.17~rc1', ['CVE-2026-1']],
    ['3.0.17', []],
    ['3.0.17+b1', []],
  ])('of a source package are found in its packages: %s', (version, ids) => {
    expect(findVulnerabilities(lockWith(version), readFeed(fixed, 'feed')).map(({ id }) => id)).toEqual(ids);
  });

  it('are fixed, new or still there', () => {
    const feed = readFeed(fixed, 'feed');
    const sum = (a: string, b: string) => {
      const diff = diffVulnerabilities(lockWith(a), lockWith(b), feed);
      return [diff.fixed.length, diff.new.length, diff.remaining.length];
    };
    expect(sum('3.0.16', '3.0.17')).toEqual([1, 0, 0]);
    expect(sum('3.0.17', '3.0.16')).toEqual([0, 1, 0]);
    expect(sum('3.0.15', '3.0.16')).toEqual([0, 0, 1]);
  });

  it.each([
    ['of another release of Debian', fixed.replace('Debian:12', 'Debian:13')],
    ['of another ecosystem', fixed.replace('Debian:12', 'Alpine')],
    ['that were withdrawn', fixed.replace('"id"', '"withdrawn":"2026-01-01T00:00:00Z","id"')],
    ['introduced later', osv([{ introduced: '3.0.17' }])],
    ['known by commits only', fixed.replace('ECOSYSTEM', 'GIT')],
  ])('%s are none of ours', (_, text) => {
    expect(findVulnerabilities(lockWith('3.0.16'), readFeed(text, 'feed'))).toEqual([]);
  });

  it.each([
    ['are back after a fix', [{ introduced: '0' }, { fixed: '2.0' }, { introduced: '3.0' }], [1, 0, 1]],
    ['are told out of order', [{ introduced: '3.0' }, { fixed: '2.0' }, { introduced: '0' }], [1, 0, 1]],
    ['have a last version', [{ introduced: '0' }, { last_affected: '2.5' }], [1, 1, 0]],
    ['are nowhere introduced', [{ fixed: '2.0' }], [0, 0, 0]],
  ])('that %s are found where they are', (_, events, found) => {
    const find = (version: string) => findVulnerabilities(lockWith(version), readFeed(osv(events), 'feed')).length;
    expect(['1.0', '2.5', '3.0'].map(find)).toEqual(found);
  });

  it('may come in the simple form, for packages and for other components', () => {
    const text = JSON.stringify([
      { package: 'libssl3', fixed: '3.0.17', id: 'A', severity: 'low' },
      { package: 'kubelet', fixed: '1.35.9', id: 'B', ecosystem: 'Kubernetes' },
      { package: 'libssl3', id: 'C' },
    ]);
    const lock = aLock({ artifacts: [...lockWith('3.0.16').artifacts, aBinary('kubelet', '1.35.8')] });
    expect(findVulnerabilities(lock, readFeed(text, 'feed')).map(({ id }) => id)).toEqual(['B', 'A', 'C']);
  });

  it.each(['', '{', '[1]', '[{"package":"x"}]', '{"vulns":{}}', 'null'])('%j is refused', (text) => {
    expect(() => readFeed(text, 'feed.json')).toThrow(/feed\.json is no list of vulnerabilities/);
  });
});

describe('release notes', () => {
  it('say a downgrade first', () => {
    const [a, b] = [aLock({ artifacts: [aDeb('x', '2.0')] }), aLock({ artifacts: [aDeb('x', '1.0')] })];
    expect(renderNotes(diffLocks(a, b)).split('\n').slice(4, 7)).toEqual([
      '## Downgrades',
      '',
      '- **x goes back** from 2.0 to 1.0',
    ]);
  });

  it('hold every change exactly once, whatever it is', () => {
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

  it('let no name become markup or another line', () => {
    const a = aLock({ artifacts: [aDeb('x', '1.0')] });
    const b = aLock({ artifacts: [aDeb('x', '2.0|<b>\n# now')] });
    const notes = renderNotes(diffLocks(a, b));
    expect(notes).toContain('2.0\\|\\<b\\>\ufffd\\# now');
    expect(notes).not.toContain('\n# now');
  });

  it('call a hotfix one', () => {
    const to = aLock({ base: { ...aLock().base, patch: 1 } });
    expect(renderNotes(diffLocks(aLock(), to))).toContain('Hotfix of node 2026.1116.0.');
  });
});
