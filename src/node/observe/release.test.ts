import { describe, expect, it } from 'vitest';
import { noRelease, parseImageRelease } from './release.ts';

const release = {
  apiVersion: 'headstart.dev/v1',
  kind: 'ImageRelease',
  name: 'debian-12',
  version: '1.34.2-2026.11.16',
  kubernetesVersion: '1.34.2',
};

describe('parseImageRelease', () => {
  it('fills in defaults and ignores unknown fields', () => {
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
  ])('refuses a file with its path and the reason: %s', (why, text) => {
    const read = () => parseImageRelease(text, { path: '/somewhere/release.json', next: 'do this' });
    expect(read).toThrow(expect.objectContaining({ code: 'config/release-unreadable', next: 'do this' }));
    expect(read).toThrow(/\/somewhere\/release\.json/);
    expect(read).toThrow(why);
  });

  it('reports all problems at once', () => {
    const text = JSON.stringify({ ...release, version: 7, name: undefined });
    expect(() => parseImageRelease(text)).toThrow(/version: .*\n.*name: /s);
  });

  it('refuses a machine without a release file', () => {
    expect(noRelease('/etc/x')).toMatchObject({ code: 'config/release-unreadable', exitCode: 1 });
  });
});
