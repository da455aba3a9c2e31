import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { sha256Of } from '../desired/bytes.ts';
import {
  NOTHING_OWNED,
  type ObservedPath,
  type ObservedState,
  type OwnedFile,
  type OwnershipRecord,
} from '../desired/tree.ts';
import { planFiles, wantedFiles } from './files.ts';
import { anObservation } from './plans.testing.ts';

const PATH = '/etc/a';
const wanted = (over: Partial<OwnedFile> = {}): OwnedFile => ({
  path: PATH,
  content: 'new\n',
  encoding: 'utf8',
  mode: 0o644,
  owner: 'root',
  group: 'root',
  aspect: 'files',
  class: 2,
  after: [{ do: 'restart', unit: 'a.service' }],
  ...over,
});
const file = (content: string | Secret, over: object = {}): ObservedPath => ({
  kind: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  content,
  encoding: 'utf8',
  ...over,
});
/** As we left it, with this content, over what the image had. */
const owned = (content: string, original: OwnershipRecord['original'] = { kind: 'absent' }): OwnershipRecord => ({
  aspect: 'files',
  class: 2,
  after: [],
  sha256: sha256Of({ content, encoding: 'utf8' }),
  rights: { mode: 0o644, uid: 0, gid: 0 },
  isSecret: false,
  original,
});
function planned(
  files: OwnedFile[],
  seen: ObservedPath | undefined,
  { before, ...over }: Partial<ObservedState> & { before?: OwnershipRecord } = {},
) {
  const observed = anObservation({
    files: new Map(seen ? [[PATH, seen]] : []),
    users: new Map([['root', 0]]),
    groups: new Map([['root', 0]]),
    ...over,
  });
  const ownership = { ...NOTHING_OWNED, files: new Map(before ? [[PATH, before]] : []) };
  return planFiles(new Map(files.map((one) => [one.path, one])), observed, ownership, () => []);
}
const only = (plan: ReturnType<typeof planned>) => {
  expect(plan.changes).toHaveLength(1);
  return plan.changes[0]!;
};

describe('a file that the document wants', () => {
  it('is created, and the image had nothing there', () => {
    const plan = planned([wanted()], undefined);
    expect(only(plan)).toMatchObject({ change: { op: 'create', class: 2 }, step: { do: 'write-file', uid: 0 } });
    expect(plan.owned.get(PATH)?.original).toEqual({ kind: 'absent' });
  });

  it('is left alone where it is as it should be, and is ours then', () => {
    const plan = planned([wanted()], file('new\n'));
    expect([plan.changes, plan.owned.has(PATH)]).toEqual([[], true]);
  });

  it.each([
    ['content', file('old\n')],
    ['mode', file('new\n', { mode: 0o600 })],
    ['owner', file('new\n', { uid: 7 })],
    ['kind', { kind: 'link', target: '/x' } as const],
  ])('is written where the %s is another', (_, seen) => {
    expect(only(planned([wanted()], seen)).change.op).toBe('update');
  });

  it('keeps what the image had, not what we left there', () => {
    const original = file('of the image\n') as OwnershipRecord['original'];
    const plan = planned([wanted()], file('old\n'), { before: owned('old\n', original) });
    expect(plan.owned.get(PATH)?.original).toBe(original);
  });

  it('that is a link is made as one', () => {
    expect(only(planned([wanted({ linkTo: '/dev/null' })], undefined)).step).toEqual({
      do: 'make-link',
      path: PATH,
      target: '/dev/null',
    });
  });

  it.each<[string, ObservedPath, string]>([
    ['a folder is there', { kind: 'other', what: 'a folder' }, 'there is a folder in its place'],
    ['a link is on the way', { kind: 'unreachable', at: '/etc' }, '/etc is a link or no folder'],
  ])('cannot be written where %s', (_, seen, message) => {
    const { problems, changes } = planned([wanted()], seen);
    expect(problems).toMatchObject([{ reason: 'plan/obstructed', message: expect.stringContaining(message) }]);
    expect(changes).toEqual([]);
  });

  it('cannot belong to users or groups that the node does not know', () => {
    expect(planned([wanted({ owner: 'app' })], undefined).problems[0]?.message).toContain('no user app');
    expect(planned([wanted({ group: 'app' })], undefined).problems[0]?.message).toContain('no group app');
  });
});

describe('drift', () => {
  it('is what somebody else changed of ours, and nothing else', () => {
    const isDrift = (seen: ObservedPath | undefined, before?: OwnershipRecord) =>
      only(planned([wanted()], seen, before && { before })).change.isDrift;
    expect(isDrift(file('old\n'), owned('old\n'))).toBe(false);
    expect(isDrift(file('changed\n'), owned('old\n'))).toBe(true);
    expect(isDrift(file('old\n', { mode: 0o600 }), owned('old\n'))).toBe(true);
    expect(isDrift(undefined, owned('old\n'))).toBe(true);
    expect(isDrift(file('of the image\n'))).toBe(false);
  });
});

describe('a file that leaves the document', () => {
  const image = file('of the image\n') as OwnershipRecord['original'];

  it('is removed where the image had none, and otherwise becomes what the image had', () => {
    expect(only(planned([], file('old\n'), { before: owned('old\n') }))).toMatchObject({
      change: { op: 'remove' },
      step: { do: 'remove-file' },
    });
    expect(only(planned([], file('old\n'), { before: owned('old\n', image) }))).toMatchObject({
      change: { op: 'restore' },
      step: { do: 'write-file', content: 'of the image\n' },
    });
  });

  it('is left alone where it is gone already, or something else is in its place', () => {
    expect(planned([], undefined, { before: owned('old\n') }).changes).toEqual([]);
    expect(planned([], { kind: 'other', what: 'a folder' }, { before: owned('old\n') }).changes).toEqual([]);
  });
});

describe('what a change shows', () => {
  it('is the lines that differ, unless one of both sides is a secret or no text', () => {
    expect(only(planned([wanted()], file('old\n'))).change.diff).toMatchObject({ kind: 'text' });
    const hidden = { kind: 'hidden', because: 'secret' };
    expect(only(planned([wanted({ content: new Secret('x') })], file('old\n'))).change.diff).toEqual(hidden);
    expect(only(planned([wanted()], file(new Secret('x')))).change.diff).toEqual(hidden);
    const wasSecret = { ...owned('old\n'), isSecret: true };
    expect(only(planned([wanted()], file('old\n'), { before: wasSecret })).change.diff).toEqual(hidden);
    const bytes = wanted({ content: Buffer.from([0, 255]).toString('base64'), encoding: 'base64' });
    expect(only(planned([bytes], file('old\n'))).change.diff).toEqual({ kind: 'hidden', because: 'not text' });
  });

  it('disrupts nothing that runs while kubelet never ran', () => {
    expect(only(planned([wanted()], undefined, { kubeletPhase: 'never-ran' })).change).toMatchObject({
      class: 1,
      why: 'nothing that runs depends on it yet',
    });
  });
});

describe('settings inside a file', () => {
  const flags = (text: string) => `KUBELET_FLAGS="${text}"\n`;
  const withFlags = (text: string) => wanted({ content: flags(text), notation: 'kubelet-flags', class: 4 });

  it('decide the class of the change, and need no restart where they matter to nobody who runs', () => {
    const labels = only(planned([withFlags('--node-labels=b')], file(flags('--node-labels=a'))));
    expect([labels.change.class, labels.effects]).toEqual([0, []]);
    const verbose = only(planned([withFlags('--v=4')], file(flags('--v=2'))));
    expect([verbose.change.class, verbose.effects.length]).toEqual([2, 1]);
  });

  it('that make a node what it is are put back as a repair, and are another node only when they are new', () => {
    const [mine, other] = [flags('--hostname-override=a'), flags('--hostname-override=b')];
    expect(only(planned([withFlags('--hostname-override=a')], file(other), { before: owned(mine) })).change.class).toBe(
      2,
    );
    expect(
      only(planned([withFlags('--hostname-override=a')], file(other), { before: owned(other) })).change.class,
    ).toBe(7);
  });
});

describe('files that only a node without a credential needs', () => {
  it('are wanted until kubelet has one of its own', () => {
    const desired = {
      files: new Map([[PATH, wanted({ isOnlyToJoin: true })]]),
      live: new Map(),
      kubeletRoot: '',
      problems: [],
    };
    expect(wantedFiles(desired, anObservation({ hasCredential: false })).size).toBe(1);
    expect(wantedFiles(desired, anObservation({ hasCredential: true })).size).toBe(0);
  });
});
