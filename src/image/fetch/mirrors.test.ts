import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirrors } from './mirrors.ts';
import { proxyVariables } from './proxies.ts';
import { mirrorsFile, readMirrors } from './read-mirrors.ts';

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

  it('serves Debian from where apt gets it', () => {
    expect(locate('debian:bookworm')).toMatchObject({ shown: 'http://deb.debian.org/debian/x/y' });
    expect(locate('debian:bookworm-security')).toMatchObject({ shown: 'http://deb.debian.org/debian-security/x/y' });
    expect(locate('debian:trixie')).toMatchObject({ file: '/srv/debian/x/y' });
    expect(() => locate('debian:sid')).toThrow('no mirror');
  });

  it('keeps passwords and signatures out of what is shown', () => {
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

describe('the mirrors file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mirrors-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const read = (text: string) => {
    const file = join(folder, 'mirrors.yaml');
    writeFileSync(file, text);
    return readMirrors(file, { mustExist: true });
  };

  it('maps origins to URLs and folders, relative ones from where the file is', async () => {
    const found = await read('mirrors:\n  upstream:kubernetes: https://dl.k8s.io/\n  local:headstart: ../out\n');
    expect([...found]).toEqual([
      ['upstream:kubernetes', 'https://dl.k8s.io/'],
      ['local:headstart', join(folder, '..', 'out')],
    ]);
  });

  it('may be absent unless somebody named it', async () => {
    expect(await readMirrors(join(folder, 'none'), { mustExist: false })).toEqual(new Map());
    await expect(readMirrors(join(folder, 'none'), { mustExist: true })).rejects.toMatchObject({
      code: 'image/bad-mirrors',
    });
  });

  it('tells everything that is wrong at once, and quotes no place', async () => {
    const told = read('miror: x\nmirrors:\n  Wrong Origin: /a\n  upstream:a: ftp://me:secret@host/\n  upstream:b: 7\n');
    await expect(told).rejects.toMatchObject({ code: 'image/bad-mirrors' });
    const { message } = (await told.catch((error: unknown) => error)) as Error;
    for (const part of ['miror', 'Wrong Origin', 'upstream:a', 'upstream:b']) expect(message).toContain(part);
    expect(message).not.toContain('secret');
  });

  it.each(['', 'mirrors:\n', '# nothing\n'])('may say nothing: %j', async (text) => {
    expect(await read(text)).toEqual(new Map());
  });

  it.each(['{', '- a', 'mirrors: [1]', 'text'])('refuses %j', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'image/bad-mirrors' });
  });

  it('is where the option, the environment or the specification of base folders says', () => {
    expect(mirrorsFile('/a', { HEADSTART_MIRRORS: '/b' })).toBe('/a');
    expect(mirrorsFile(undefined, { HEADSTART_MIRRORS: '/b' })).toBe('/b');
    expect(mirrorsFile(undefined, { XDG_CONFIG_HOME: '/c', HOME: '/h' })).toBe('/c/headstart/mirrors.yaml');
    expect(mirrorsFile(undefined, { HOME: '/h' })).toBe('/h/.config/headstart/mirrors.yaml');
  });
});

describe('proxies', () => {
  it("takes the environment's, else apt's", () => {
    const apt = 'Acquire::http::Proxy "http://apt.test:3142";\nAcquire::https::Proxy "DIRECT";\n';
    expect(proxyVariables({ HTTPS_PROXY: 'http://p', no_proxy: 'x' }, apt)).toEqual({
      https_proxy: 'http://p',
      no_proxy: 'x',
    });
    expect(proxyVariables({}, apt)).toEqual({ http_proxy: 'http://apt.test:3142' });
    expect(proxyVariables({ http_proxy: 'proxy:3128', no_proxy: 'a,b' }, '')).toEqual({
      http_proxy: 'http://proxy:3128',
      no_proxy: 'a,b',
    });
    expect(proxyVariables({}, '')).toEqual({});
  });
});
