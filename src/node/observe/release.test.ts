import { describe, expect, it } from 'vitest';
import { noRelease, parseImageRelease } from './release.ts';

const release = {
  apiVersion: 'headstart.dev/v1',
  kind: 'ImageRelease',
  name: 'debian-12',
  version: '1.34.2-2026.11.16',
  kubernetesVersion: '1.34.2',
};

describe('what an image says of itself', () => {
  it('may leave out what has a default, and say more than is known', () => {
    const facts = parseImageRelease(JSON.stringify({ ...release, cniBinDir: '/usr/lib/cni', news: 1 }));
    expect(facts).toMatchObject({ name: 'debian-12', cniBinDir: '/usr/lib/cni', defaults: {}, signers: [] });
    expect(facts).not.toHaveProperty('kind');
    expect(facts).not.toHaveProperty('news');
  });

  it.each([
    ['is empty', ' \n'],
    ['is not JSON', '{'],
    ['name: is missing', JSON.stringify({ ...release, name: undefined })],
    ['kubernetesVersion', JSON.stringify({ ...release, kubernetesVersion: 'latest' })],
  ])('is refused with the place and the reason: %s', (why, text) => {
    const read = () => parseImageRelease(text, { path: '/somewhere/release.json', next: 'do this' });
    expect(read).toThrow(expect.objectContaining({ code: 'config/release-unreadable', next: 'do this' }));
    expect(read).toThrow(/\/somewhere\/release\.json/);
    expect(read).toThrow(why);
  });

  it('names every part that is wrong at once', () => {
    const text = JSON.stringify({ ...release, version: 7, name: undefined });
    expect(() => parseImageRelease(text)).toThrow(/version: .*\n.*name: /s);
  });

  it('is required: a machine without it is not a node', () => {
    expect(noRelease('/etc/x')).toMatchObject({ code: 'config/release-unreadable', exitCode: 1 });
  });
});
