import { describe, expect, it } from 'vitest';
import { aBinary, aDeb, aLock } from '../lock/lock.testing.ts';
import { diffVulnerabilities, findVulnerabilities } from './vulnerabilities.ts';
import { readFeed } from './vulnerability-feed.ts';

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
});
