import { describe, expect, it } from 'vitest';
import { aBinary, aDeb, aLock } from '../lock/lock.testing.ts';
import { diffVulnerabilities, findVulnerabilities } from './vulnerabilities.ts';
import { readFeed } from './vulnerability-feed.ts';

describe('findVulnerabilities', () => {
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
  ])('finds vulnerabilities of a source package in its binary packages: %s', (version, ids) => {
    expect(findVulnerabilities(lockWith(version), readFeed(fixed, 'feed')).map(({ id }) => id)).toEqual(ids);
  });

  it('lets diffVulnerabilities report fixed, new and remaining ones', () => {
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
    ['another Debian release', fixed.replace('Debian:12', 'Debian:13')],
    ['another ecosystem', fixed.replace('Debian:12', 'Alpine')],
    ['withdrawn records', fixed.replace('"id"', '"withdrawn":"2026-01-01T00:00:00Z","id"')],
    ['a later introduction', osv([{ introduced: '3.0.17' }])],
    ['ranges of commits only', fixed.replace('ECOSYSTEM', 'GIT')],
  ])('ignores %s', (_, text) => {
    expect(findVulnerabilities(lockWith('3.0.16'), readFeed(text, 'feed'))).toEqual([]);
  });

  it.each([
    ['a reintroduction after a fix', [{ introduced: '0' }, { fixed: '2.0' }, { introduced: '3.0' }], [1, 0, 1]],
    ['events out of order', [{ introduced: '3.0' }, { fixed: '2.0' }, { introduced: '0' }], [1, 0, 1]],
    ['a last affected version', [{ introduced: '0' }, { last_affected: '2.5' }], [1, 1, 0]],
    ['a fix without an introduction', [{ fixed: '2.0' }], [0, 0, 0]],
  ])('finds the affected versions with %s', (_, events, found) => {
    const find = (version: string) => findVulnerabilities(lockWith(version), readFeed(osv(events), 'feed')).length;
    expect(['1.0', '2.5', '3.0'].map(find)).toEqual(found);
  });

  it('accepts the simple form, for packages and for other components', () => {
    const text = JSON.stringify([
      { package: 'libssl3', fixed: '3.0.17', id: 'A', severity: 'low' },
      { package: 'kubelet', fixed: '1.35.9', id: 'B', ecosystem: 'Kubernetes' },
      { package: 'libssl3', id: 'C' },
    ]);
    const lock = aLock({ artifacts: [...lockWith('3.0.16').artifacts, aBinary('kubelet', '1.35.8')] });
    expect(findVulnerabilities(lock, readFeed(text, 'feed')).map(({ id }) => id)).toEqual(['B', 'A', 'C']);
  });
});
