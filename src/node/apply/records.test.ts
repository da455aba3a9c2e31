import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { NOTHING_OWNED, type Ownership } from '../desired/tree.ts';
import { anyConfig, CANARY, someFacts } from '../document/configs.testing.ts';
import {
  FIRST_STATE,
  type Journal,
  parseGeneration,
  parseJournal,
  parseState,
  renderGeneration,
  renderJournal,
  renderState,
} from './records.ts';

const ownership: Ownership = {
  files: new Map([
    [
      '/etc/a',
      {
        aspect: 'files',
        class: 0,
        after: [{ do: 'daemon-reload' }],
        sha256: 'x',
        rights: undefined,
        isSecret: true,
        original: { kind: 'file', content: new Secret(CANARY), encoding: 'utf8', mode: 0o600, uid: 0, gid: 0 },
      },
    ],
  ]),
  folders: new Set(['/etc/b']),
  live: new Map([['sysctl a', { value: '1', original: undefined, aspect: 'sysctl' }]]),
};

/** Plain data with revealed secrets. */
function bare(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() };
  if (value instanceof Map) return { map: [...value].map(bare) };
  if (value instanceof Set) return { set: [...value] };
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, bare(one)]),
  );
}

describe('a record', () => {
  it('is the same after rendering and parsing, including secrets', () => {
    fc.assert(
      fc.property(anyConfig, fc.uint8Array(), (config, document) => {
        const assignment = { document, documentHash: 'd', hash: 'h', config, facts: someFacts, origin: 'test' };
        const generation = { number: 3, appliedMs: 5, assignment, ownership };
        expect(bare(parseGeneration(renderGeneration(generation)))).toEqual(bare(generation));
        const state = { ...FIRST_STATE, ownership, lastNumber: 7, owesUncordon: true };
        expect(bare(parseState(renderState(state)))).toEqual(bare(state));
        const content = { content: new Secret(CANARY), encoding: 'utf8' } as const;
        const journal: Journal = {
          kind: 'forward',
          steps: [{ do: 'write-file', path: '/etc/a', mode: 0o600, uid: 0, gid: 0, ...content }, { do: 'drain' }],
          isBeforeKubelet: true,
          bootId: 'b',
          attempts: 1,
          ownershipMeanwhile: NOTHING_OWNED,
          after: state,
          generation,
        };
        expect(bare(parseJournal(renderJournal(journal)))).toEqual(bare(journal));
      }),
    );
  });

  it.each([
    '',
    '{}',
    '"$secret"',
    '"$secret"\n',
    'null\n{}',
    '"$secret"\nnull',
    '"$secret"\n{"version":1}',
    '"$secret"\n{"version":9}',
  ])('cannot be parsed from %j', (text) => {
    for (const parse of [parseState, parseGeneration, parseJournal]) expect(() => parse(text)).toThrow();
  });
});
