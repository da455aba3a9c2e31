import { describe, expect, it } from 'vitest';
import { sha256Of } from '../testing.ts';
import { baseDate, buildIndex, parseSuiteRelease } from './package-index.ts';

const stanza = (name: string, version: string, more = '') =>
  `Package: ${name}\nVersion: ${version}\n${more}Filename: pool/${name}_${version}.deb\nSize: 12\nSHA256: ${sha256Of(name + version)}\nDescription: x\n`;
const MAIN = [
  stanza('dpkg', '1.21', 'Essential: yes\n'),
  stanza('tzdata', '1', 'Priority: required\n'),
  stanza('containerd', '1.6.20~ds1-1+b2'),
  stanza('runc', '1.1.5'),
].join('\n');
const SECURITY = [stanza('containerd', '1.6.20~ds1-1+deb12u1'), stanza('runc', '1.1.5')].join('\n');

describe('buildIndex', () => {
  it('lists each version once, from the first suite that has it, and skips incomplete stanzas', () => {
    const index = buildIndex([
      { suite: 'bookworm', text: `${MAIN}\nPackage: broken\nVersion: 1\n` },
      { suite: 'bookworm-security', text: SECURITY },
    ]);
    expect(index.get('runc')).toMatchObject([{ suite: 'bookworm' }]);
    expect(index.get('containerd')).toHaveLength(2);
    expect(index.has('broken')).toBe(false);
    expect(
      [...index.values()]
        .flat()
        .filter(({ isBasic }) => isBasic)
        .map(({ name }) => name),
    ).toEqual(['dpkg', 'tzdata']);
  });

  it.each([
    [['2026-11-16T08:00:00.000Z', '2026-11-09T00:00:00.000Z'], '2026.1116'],
    [['2027-01-05T23:59:59.000Z'], '2027.105'],
  ])('baseDate of %j is %s', (dates, expected) => expect(baseDate(dates)).toBe(expected));

  it('parseSuiteRelease returns the date of the release, or undefined', () => {
    expect(parseSuiteRelease('Origin: Debian\nDate: Sat, 14 Nov 2026 08:12:00 UTC\n')).toEqual({
      date: '2026-11-14T08:12:00.000Z',
    });
    expect(parseSuiteRelease('Origin: Debian\n')).toBeUndefined();
    expect(parseSuiteRelease('Date: some day\n')).toBeUndefined();
  });

  it('normalizes paths and reads the last stanza with or without a trailing newline', () => {
    const text = MAIN.replace('Filename: pool/runc', 'Filename: ./pool/runc').trimEnd();
    expect(buildIndex([{ suite: 'bookworm', text }]).get('runc')).toMatchObject([
      { path: 'pool/runc_1.1.5.deb', bytes: 12 },
    ]);
    expect(buildIndex([{ suite: 'bookworm', text: '' }]).size).toBe(0);
  });
});
