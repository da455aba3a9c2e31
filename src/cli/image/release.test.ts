// The verbs that compare, repair and release images, on files of a temporary folder and a gallery in memory.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { aBinary, aDeb, aLock } from '../../image/lock/lock.testing.ts';
import type { Lock } from '../../image/lock/lock.ts';
import { readLock, writeLock } from '../../image/lock/read-lock.ts';
import { definitionSpec, IMAGE_TAGS } from '../../image/publish/names.ts';
import { writeBuild, writeTest } from '../../image/publish/testing.ts';
import { type FakeFactory, fakeFactory } from '../../vms/fake/fake-factory.ts';
import type { OpenGallery } from '../compose/open-gallery.ts';
import { runVerb } from '../testing.ts';
import { verb as diff } from './diff.ts';
import { verb as hotfix } from './hotfix.ts';
import { imageList } from './list.ts';
import { imagePromote } from './promote.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const place = (name: string) => join(folder, name);
function lockFile(name: string, lock: Lock): string {
  writeLock(place(name), lock);
  return place(name);
}
const before = lockFile('before.json', aLock());
const replaced = (name: string, by: Lock['artifacts'][number]) =>
  aLock({ artifacts: [...aLock().artifacts.filter(({ component }) => component !== name), by] });
const newer = lockFile('newer.json', replaced('containerd', aDeb('containerd', '1.6.20~ds1-1+deb12u2')));

describe('image diff', () => {
  it('shows what is newer, for people and for scripts', async () => {
    const { code, stdout } = await runVerb(diff, [before, newer]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/deb +containerd +all +1\.6\.20~ds1-1\+deb12u1 +1\.6\.20~ds1-1\+deb12u2 +0 +newer/);
    const json = JSON.parse((await runVerb(diff, [before, newer, '--json', '--notes'])).stdout);
    expect(json).toMatchObject({
      kind: 'ImageDiff',
      changes: [{ component: 'containerd', change: 'up' }],
      notes: expect.stringContaining('## Packages'),
    });
  });

  it('takes the folder of a build for the lock in it', async () => {
    writeBuild(place('build'));
    writeLock(place('build/lock.json'), aLock());
    expect((await runVerb(diff, [place('build'), before])).stdout).toContain('nothing in the image is different');
  });

  it('tells which vulnerabilities are fixed', async () => {
    writeFileSync(
      place('feed.json'),
      '[{"package":"containerd","fixed":"1.6.20~ds1-1+deb12u2","id":"CVE-1","severity":"high"}]',
    );
    const { stdout } = await runVerb(diff, [before, newer, '--vulnerabilities', place('feed.json')]);
    expect(stdout).toMatch(/CVE-1 +high +containerd .* fixed/);
  });

  it.each([
    [['nowhere.json', 'nowhere.json'], 'image/no-lock'],
    [[before, newer, '--vulnerabilities', 'nowhere.json'], 'image/bad-feed'],
    [[before, newer, '--vulnerabilities', before], 'image/bad-feed'],
  ])('%j says what is wrong', async (argv, code) => {
    expect(await runVerb(diff, argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(code) });
  });
});

describe('image hotfix', () => {
  const make = (to: string, ...more: string[]) =>
    runVerb(hotfix, ['--from', before, '--to', to, '-o', place('hotfix.json'), ...more]);
  beforeEach(() => rmSync(place('hotfix.json'), { force: true }));

  it('writes the lock of the next patch', async () => {
    const { code, stderr } = await make(newer, '--allow', 'containerd');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('image build --lock') });
    expect(readLock(place('hotfix.json')).base).toEqual({ ...aLock().base, patch: 1 });
  });

  it('denies what was not named, and writes nothing', async () => {
    expect(await make(newer)).toMatchObject({ code: 1, stderr: expect.stringContaining('--allow containerd') });
    expect(existsSync(place('hotfix.json'))).toBe(false);
  });

  it('says a downgrade, once it is allowed', async () => {
    const older = lockFile('older.json', replaced('containerd', aDeb('containerd', '1.6.0')));
    expect(await make(older, '--allow', 'containerd')).toMatchObject({ code: 1 });
    const { code, stdout } = await make(older, '--allow-downgrade', 'containerd', '--notes');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('**containerd goes back**') });
  });

  it('picks only what is named out of a lock of another day', async () => {
    const lock = { ...replaced('containerd', aDeb('containerd', '1.7')), base: { ...aLock().base, date: '2026.1120' } };
    const many = lockFile('many.json', { ...lock, artifacts: [...lock.artifacts, aBinary('debugger', '1.0')] });
    expect(await make(many, '--allow', 'containerd')).toMatchObject({ code: 1 });
    expect(await make(many, '--pick', '--allow', 'containerd')).toMatchObject({ code: 0 });
    const made = readLock(place('hotfix.json'));
    expect(made.base).toEqual({ ...aLock().base, patch: 1 });
    expect(made.artifacts.map(({ component }) => component)).not.toContain('debugger');
  });

  it('leaves a file alone that is there already, and with --dry-run all files', async () => {
    writeFileSync(place('hotfix.json'), 'mine');
    expect(await make(newer, '--allow', 'containerd')).toMatchObject({ code: 2 });
    expect(readFileSync(place('hotfix.json'), 'utf8')).toBe('mine');
    rmSync(place('hotfix.json'));
    expect(await make(newer, '--allow', 'containerd', '--dry-run')).toMatchObject({ code: 0 });
    expect(existsSync(place('hotfix.json'))).toBe(false);
  });
});

describe('image promote and list', () => {
  let factory: FakeFactory;
  const open: OpenGallery = async ({ gallery }) => ({
    kind: 'qemu',
    name: gallery,
    factory,
    edges: { home: folder, clock: fakeClock(), run: () => Promise.reject(new Error('nothing is run')) },
  });
  const promote = (...argv: string[]) => runVerb(imagePromote(open), argv);
  const list = async () =>
    JSON.parse((await runVerb(imageList(open), ['--json'])).stdout).images as { version: string; channels: string[] }[];

  /** Ready, in the fake's words: two minutes old. */
  async function publish(version: string, isTested = true): Promise<void> {
    const named = { name: 'node', kubernetes: '1.35.8', architecture: 'amd64' };
    const definition = await factory.gallery.ensureDefinition(definitionSpec(named, 'headstart'), 'local');
    const id = `${definition.id}/versions/${version}`;
    const record = writeBuild(place(version), { contentSha256: '0'.repeat(63) + version.at(-1) });
    const content = record.contentSha256;
    const tags = {
      [IMAGE_TAGS.content]: content,
      [IMAGE_TAGS.disk]: record.files['disk.qcow2']!.sha256,
      ...(isTested && { [IMAGE_TAGS.tested]: content }),
    };
    const spec = {
      definition,
      name: version,
      snapshotId: '',
      region: 'local',
      replicas: 1,
      redundancy: 'local',
    } as const;
    factory.state.versions.set(id, {
      ...spec,
      id,
      tags,
      isExcludedFromLatest: !isTested,
      createdMs: 0,
      isSealed: true,
    });
  }

  beforeEach(() => {
    factory = fakeFactory(fakeClock());
  });

  it('move a channel, and show where it is', async () => {
    await publish('2026.1116.0');
    await publish('2026.1116.1');
    expect(await promote('node-1.35.8/2026.1116.0', '--to', 'dev')).toMatchObject({
      code: 0,
      stdout: 'did put 2026.1116.0 into dev\n',
    });
    expect(await promote('node-1.35.8/2026.1116.1', '--to', 'dev')).toMatchObject({
      stdout: 'did move dev from 2026.1116.0 to 2026.1116.1\n',
    });
    expect((await list()).map(({ version, channels }) => [version, channels])).toEqual([
      ['2026.1116.1', ['dev']],
      ['2026.1116.0', []],
    ]);
    expect(await promote('node-1.35.8/2026.1116.0', '--to', 'dev')).toMatchObject({ code: 1 });
    expect((await runVerb(imageList(open), [])).stdout).toMatch(/node-1\.35\.8 +2026\.1116\.1 +dev +yes +yes +ready/);
    const narrow = await runVerb(imageList(open), [], { columns: 60, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toMatch(
      /^node-1\.35\.8 +2026\.1116\.1 +dev +yes .*\n {4}CONTENT [0-9a-f]{12} {2}GB \d+ {2}SINCE /m,
    );
  });

  it('with --dry-run change nothing', async () => {
    await publish('2026.1116.0');
    const { stdout } = await promote('node-1.35.8/2026.1116.0', '--to', 'dev', '--dry-run');
    expect(stdout).toBe('would put 2026.1116.0 into dev\n');
    expect((await list())[0]?.channels).toEqual([]);
  });

  it('include a version that was published untested, once its test is shown', async () => {
    await publish('2026.1116.0', false);
    const argv = ['node-1.35.8/2026.1116.0', '--to', 'dev', '--build', place('2026.1116.0')];
    expect(await promote(...argv)).toMatchObject({ code: 1, stderr: expect.stringContaining('image/untested') });
    writeTest(place('2026.1116.0'), `${'0'.repeat(63)}0`);
    expect(await promote(...argv)).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject([{ channels: ['dev'], isTested: true, isExcludedFromLatest: false }]);
  });

  it.each([
    ['node-1.35.8', 2],
    ['a/b/c', 2],
    ['node-1.35.8/1.2.3', 1],
    ['nothing/1.2.3', 1],
  ])('of %s say that there is none', async (image, code) => {
    await publish('2026.1116.0');
    expect(await promote(image, '--to', 'dev')).toMatchObject({ code });
  });

  it('know only their channels', async () => {
    expect(await promote('a/b', '--to', 'prod')).toMatchObject({ code: 2 });
  });

  it('of an empty gallery say how to fill it', async () => {
    expect((await runVerb(imageList(open), [])).stdout).toContain('no images yet');
  });
});
