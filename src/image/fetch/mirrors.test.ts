import { describe, expect, it } from 'vitest';
import { createMirrors } from './mirrors.ts';

describe('locate', () => {
  const mirrors = createMirrors({
    mirrors: new Map([
      ['upstream:a', 'https://me:p%40ss@host.test/base?sig=abc'],
      ['local:b', '/srv/b'],
    ]),
    file: 'mirrors.yaml',
    aptLines: [
      'deb [signed-by=/k.gpg] http://deb.debian.org/debian/ bookworm main',
      'deb http://deb.debian.org/debian-security bookworm-security main',
      'deb file:/srv/debian trixie main',
    ],
  });
  const locate = (origin: string, path = 'x/y') => mirrors.locate({ component: 'c', origin, path });

  it("serves Debian from apt's sources", () => {
    expect(locate('debian:bookworm')).toMatchObject({ shown: 'http://deb.debian.org/debian/x/y' });
    expect(locate('debian:bookworm-security')).toMatchObject({ shown: 'http://deb.debian.org/debian-security/x/y' });
    expect(locate('debian:trixie')).toMatchObject({ file: '/srv/debian/x/y' });
    expect(() => locate('debian:sid')).toThrow('no mirror');
  });

  it('keeps passwords and signatures out of the printed location', () => {
    const place = locate('upstream:a', 'v1/a+b c');
    expect(JSON.stringify(place)).not.toMatch(/p@ss|p%40ss|sig|bWU6/);
    expect(place.shown).toBe('https://host.test/base/v1/a%2Bb%20c');
    if (place.kind !== 'url') throw new Error('not a URL');
    expect(place.url.reveal()).toBe('https://host.test/base/v1/a%2Bb%20c?sig=abc');
    expect(place.authorization?.reveal()).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  it('finds files below a folder', () => {
    expect(locate('local:b')).toEqual({ kind: 'file', file: '/srv/b/x/y', shown: '/srv/b/x/y' });
  });
});
