import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { NOTHING_OWNED, type Ownership, type OwnershipRecord } from '../desired/tree.ts';
import { parseOwnership, renderOwnership } from './ownership-file.ts';

const before: OwnershipRecord = {
  aspect: 'files',
  class: 0,
  after: [{ do: 'restart', unit: 'containerd.service' }],
  sha256: 'abc',
  rights: { mode: 0o644, uid: 0, gid: 0 },
  isSecret: false,
  original: { kind: 'absent' },
};

describe('the ownership file', () => {
  it('round-trips files, links, secrets and absent originals', () => {
    const ownership: Ownership = {
      files: new Map([
        ['/a', before],
        ['/b', { ...before, rights: undefined, original: { kind: 'link', target: '/dev/null' } }],
        [
          '/c',
          { ...before, original: { kind: 'file', content: '/wCA', encoding: 'base64', mode: 0o600, uid: 1, gid: 2 } },
        ],
      ]),
      folders: new Set(['/x', '/x/y']),
      live: new Map([
        ['sysctl a', { value: '1', original: '0', aspect: 'sysctl' }],
        ['swap /s', { value: '1', original: undefined, aspect: 'swap' }],
      ]),
    };
    expect(parseOwnership(renderOwnership(ownership))).toEqual(ownership);
    expect(parseOwnership(renderOwnership(NOTHING_OWNED))).toEqual(NOTHING_OWNED);
  });

  it('saves the content of a secret and wraps it again when read', () => {
    const original = {
      kind: 'file',
      content: new Secret('hidden'),
      encoding: 'utf8',
      mode: 0o600,
      uid: 0,
      gid: 0,
    } as const;
    const read = parseOwnership(
      renderOwnership({ ...NOTHING_OWNED, files: new Map([['/a', { ...before, original }]]) }),
    );
    const { content } = read.files.get('/a')!.original as typeof original;
    expect(content.reveal()).toBe('hidden');
    expect(JSON.stringify([...read.files])).not.toContain('hidden');
  });

  it.each(['', '{', '[]', 'null', '{"files":[]}'])('is refused if it is %j', (text) => {
    expect(() => parseOwnership(text)).toThrow(SyntaxError);
  });
});
