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
/** The ownership record of a file with this content, and of what the image had. */
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

describe('a desired file', () => {
  it('is created if the image has none', () => {
    const plan = planned([wanted()], undefined);
    expect(only(plan)).toMatchObject({ change: { op: 'create', class: 2 }, step: { do: 'write-file', uid: 0 } });
    expect(plan.owned.get(PATH)?.original).toEqual({ kind: 'absent' });
  });

  it('is not changed if it is correct, but is owned afterwards', () => {
    const plan = planned([wanted()], file('new\n'));
    expect([plan.changes, plan.owned.has(PATH)]).toEqual([[], true]);
  });

  it.each([
    ['content', file('old\n')],
    ['mode', file('new\n', { mode: 0o600 })],
    ['owner', file('new\n', { uid: 7 })],
    ['kind', { kind: 'link', target: '/x' } as const],
  ])('is written if the %s differs', (_, seen) => {
    expect(only(planned([wanted()], seen)).change.op).toBe('update');
  });

  it('keeps the original of the image, not our last version', () => {
    const original = file('of the image\n') as OwnershipRecord['original'];
    const plan = planned([wanted()], file('old\n'), { before: owned('old\n', original) });
    expect(plan.owned.get(PATH)?.original).toBe(original);
  });

  it('that is a link is created as a link', () => {
    expect(only(planned([wanted({ linkTo: '/dev/null' })], undefined)).step).toEqual({
      do: 'make-link',
      path: PATH,
      target: '/dev/null',
    });
  });

  it.each<[string, ObservedPath, string]>([
    ['a folder exists there', { kind: 'other', what: 'a folder' }, 'is a folder and cannot be replaced'],
    ['a parent is a link', { kind: 'unreachable', at: '/etc' }, '/etc is a link or not a folder'],
  ])('cannot be written if %s', (_, seen, message) => {
    const { problems, changes } = planned([wanted()], seen);
    expect(problems).toMatchObject([{ reason: 'plan/obstructed', message: expect.stringContaining(message) }]);
    expect(changes).toEqual([]);
  });

  it('cannot belong to a user or group that does not exist on the node', () => {
    expect(planned([wanted({ owner: 'app' })], undefined).problems[0]?.message).toContain('no user app');
    expect(planned([wanted({ group: 'app' })], undefined).problems[0]?.message).toContain('no group app');
  });
});

describe('drift', () => {
  it('is only a change that something else made to our files', () => {
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

  it('is removed if the image had none, and otherwise restored', () => {
    expect(only(planned([], file('old\n'), { before: owned('old\n') }))).toMatchObject({
      change: { op: 'remove' },
      step: { do: 'remove-file' },
    });
    expect(only(planned([], file('old\n'), { before: owned('old\n', image) }))).toMatchObject({
      change: { op: 'restore' },
      step: { do: 'write-file', content: 'of the image\n' },
    });
  });

  it('is not changed if it is already gone or was replaced by a folder', () => {
    expect(planned([], undefined, { before: owned('old\n') }).changes).toEqual([]);
    expect(planned([], { kind: 'other', what: 'a folder' }, { before: owned('old\n') }).changes).toEqual([]);
  });
});

describe('a change', () => {
  it('shows the lines that differ, unless one side is secret or not text', () => {
    expect(only(planned([wanted()], file('old\n'))).change.diff).toMatchObject({ kind: 'text' });
    const hidden = { kind: 'hidden', because: 'secret' };
    expect(only(planned([wanted({ content: new Secret('x') })], file('old\n'))).change.diff).toEqual(hidden);
    expect(only(planned([wanted()], file(new Secret('x')))).change.diff).toEqual(hidden);
    const wasSecret = { ...owned('old\n'), isSecret: true };
    expect(only(planned([wanted()], file('old\n'), { before: wasSecret })).change.diff).toEqual(hidden);
    const bytes = wanted({ content: Buffer.from([0, 255]).toString('base64'), encoding: 'base64' });
    expect(only(planned([bytes], file('old\n'))).change.diff).toEqual({ kind: 'hidden', because: 'not text' });
  });

  it('disrupts nothing if kubelet never ran', () => {
    expect(only(planned([wanted()], undefined, { kubeletPhase: 'never-ran' })).change).toMatchObject({
      class: 1,
      why: 'nothing that runs depends on it yet',
    });
  });
});

describe('settings inside a file', () => {
  const flags = (text: string) => `KUBELET_FLAGS="${text}"\n`;
  const withFlags = (text: string) => wanted({ content: flags(text), notation: 'kubelet-flags', class: 4 });

  it('decide the class of the change, and restart nothing if they matter only at registration', () => {
    const labels = only(planned([withFlags('--node-labels=b')], file(flags('--node-labels=a'))));
    expect([labels.change.class, labels.effects]).toEqual([0, []]);
    const verbose = only(planned([withFlags('--v=4')], file(flags('--v=2'))));
    expect([verbose.change.class, verbose.effects.length]).toEqual([2, 1]);
  });

  it('of the identity are restored as a repair, and need another node only if they change', () => {
    const [mine, other] = [flags('--hostname-override=a'), flags('--hostname-override=b')];
    expect(only(planned([withFlags('--hostname-override=a')], file(other), { before: owned(mine) })).change.class).toBe(
      2,
    );
    expect(
      only(planned([withFlags('--hostname-override=a')], file(other), { before: owned(other) })).change.class,
    ).toBe(7);
  });
});

describe('bootstrap files', () => {
  it('are desired until kubelet has its own credential', () => {
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
