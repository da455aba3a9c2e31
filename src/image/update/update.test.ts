import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirrors } from '../fetch/mirrors.ts';
import type { Lock } from '../lock/lock.ts';
import type { IndexEntry, PackageIndex } from '../lock/package-index.ts';
import type { Component, FetchedComponent, Kind, Manifest } from '../manifest/manifest.ts';
import { debText, KUBELET, manifestText, SHA } from '../manifest/manifests.testing.ts';
import { readManifest } from '../manifest/read-manifest.ts';
import { sha256Of } from '../testing.ts';
import { type Available, listMirrors, readAvailable } from './available.ts';
import { editText } from './edit-text.ts';
import { type Edit, planUpdates } from './plan-update.ts';
import { settleUpdates } from './settle-update.ts';
import { isProposable } from './update-policy.ts';

describe('a policy', () => {
  it.each<[Component['update'], Kind, string, string, boolean]>([
    ['patch', 'binary', '1.35.1', '1.35.2', true],
    ['patch', 'binary', '1.35.1', '1.36.0', false],
    ['minor', 'binary', '1.35.1', '1.36.0', true],
    ['minor', 'binary', '1.35.1', '2.0.0', false],
    ['frozen', 'binary', '1.35.1', '1.35.2', false],
    ['patch', 'binary', '1.35.2', '1.35.1', false],
    ['minor', 'binary', '1.35.1', '1.36.0-rc.1', false],
    ['patch', 'binary', 'v1.8.0', 'v1.8.1', true],
    ['patch', 'deb', '1.6.20~ds1-1+b2', '1.6.20~ds1-1+deb12u1', true],
    ['patch', 'deb', '252.38-1~deb12u1', '252.39-1~deb12u1', true],
    ['patch', 'deb', '252.38-1~deb12u1', '253.1-1', false],
    ['patch', 'deb', '20230311', '20240203', false],
    ['minor', 'deb', '20230311', '20240203', true],
    ['patch', 'deb', '20230311+deb12u1', '20230311+deb12u2', true],
  ])('%s of a %s lets %s become %s: %s', (policy, kind, from, to, expected) => {
    expect(isProposable(policy, kind, from, to)).toBe(expected);
  });

  it('never proposes what is not newer, and frozen never proposes anything', () => {
    const version = fc.stringMatching(/^[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}$/);
    const policy = fc.constantFrom<Component['update'][]>('frozen', 'patch', 'minor');
    fc.assert(
      fc.property(policy, version, version, (one, a, b) => {
        expect(isProposable(one, 'binary', a, b) && isProposable(one, 'binary', b, a)).toBe(false);
        expect(isProposable(one, 'binary', a, a)).toBe(false);
        if (isProposable('patch', 'binary', a, b)) expect(isProposable('minor', 'binary', a, b)).toBe(true);
      }),
    );
  });
});

const KEYED = `  # the agent
  - name: kubelet
    kind: binary
    licence: Apache-2.0
    reason: the node agent
    versions:
      - version: 1.35.8
        kubernetes: 1.35.8 # keep
        sources: { amd64: { origin: upstream:kubernetes, path: v1.35.8/kubelet, sha256: ${SHA} } }
    install: { to: /usr/bin/kubelet }
`;
const CRICTL = KUBELET.replaceAll('kubelet', 'crictl').replace(
  'reason: the node agent\n',
  'reason: looks\n    update: minor\n',
);
const index = (entries: Record<string, string[]>): PackageIndex =>
  new Map(
    Object.entries(entries).map(([name, versions]) => [
      name,
      versions.map(
        (version) =>
          ({ name, version, suite: 's', path: 'p', sha256: SHA, bytes: 1, isBasic: false }) satisfies IndexEntry,
      ),
    ]),
  );
const offer = (version: string, path = `v${version}/kubelet`) => ({
  version,
  sources: { amd64: { path, sha256: sha256Of(version) } },
});
const lockOf = (versions: Record<string, string>) =>
  ({
    artifacts: Object.entries(versions).map(([component, version]) => ({ component, version, kind: 'deb' })),
  }) as unknown as Lock;

async function settle(text: string, offered: { available?: Available; debs?: Record<string, string[]>; lock?: Lock }) {
  const manifest = await readManifest(text, 'x');
  const proposals = planUpdates(manifest, {
    lock: offered.lock,
    index: index(offered.debs ?? {}),
    available: offered.available ?? new Map(),
  });
  return settleUpdates(text, manifest, proposals, offered.lock);
}
const told = ({ taken }: Awaited<ReturnType<typeof settle>>) =>
  taken.map(({ component, from, to, edits }) => `${component} ${from} → ${to}${edits.length > 0 ? ' *' : ''}`);

describe('an update', () => {
  it('of a package whose version is open changes only the lock, and only to what the manifest allows', async () => {
    const debs = { containerd: ['1.6.20-1', '1.6.20-2', '1.6.21-1', '1.7.0-1'], runc: ['1.1.5', '1.1.6'] };
    const lock = lockOf({ containerd: '1.6.20-1', runc: '1.1.5' });
    const settled = await settle(manifestText(debText('containerd', '1.6.*') + debText('runc', '*')), { debs, lock });
    expect(told(settled)).toEqual(['containerd 1.6.20-1 → 1.6.21-1', 'runc 1.1.5 → 1.1.6']);
  });

  it('of a package whose version is written is an edit, and one without a lock is none', async () => {
    const text = manifestText(debText('containerd', '1.6.20-1') + debText('runc', '*'));
    const settled = await settle(text, { debs: { containerd: ['1.6.20-2', '1.7.0-1'], runc: ['9'] } });
    expect(told(settled)).toEqual(['containerd 1.6.20-1 → 1.6.20-2 *']);
    expect(settled.text).toBe(text.replace('1.6.20-1', '1.6.20-2'));
  });

  it('of Kubernetes adds a patch version once all that goes by it is there, and keeps comments', async () => {
    const kubectl = KEYED.replaceAll('kubelet', 'kubectl');
    const text = manifestText(KEYED + kubectl, '# which\n');
    const available = new Map([
      ['kubelet', [offer('1.35.9'), offer('1.35.10'), offer('1.36.0')]],
      ['kubectl', [offer('1.35.9', 'v1.35.9/kubectl')]],
    ]);
    const settled = await settle(text, { available });
    expect(told(settled)).toEqual(['kubernetes 1.35.8 → 1.35.9 *']);
    expect(settled.manifest.kubernetes).toEqual(['1.35.8', '1.35.9']);
    expect(settled.manifest.components.map((component) => (component as FetchedComponent).versions.at(-1))).toEqual([
      {
        version: '1.35.9',
        kubernetes: '1.35.9',
        sources: { amd64: { origin: 'upstream:kubernetes', path: 'v1.35.9/kubelet', sha256: sha256Of('1.35.9') } },
      },
      {
        version: '1.35.9',
        kubernetes: '1.35.9',
        sources: { amd64: { origin: 'upstream:kubernetes', path: 'v1.35.9/kubectl', sha256: sha256Of('1.35.9') } },
      },
    ]);
    for (const comment of ['# which', '# the agent', '# keep']) expect(settled.text).toContain(comment);
  });

  it('that breaks a rule is not taken, with the rule; the others are', async () => {
    const text = manifestText(CRICTL + debText('runc', '1.1.5-1'));
    const settled = await settle(text, {
      available: new Map([['crictl', [offer('1.36.0')]]]),
      debs: { runc: ['1.1.5-2'] },
    });
    expect(told(settled)).toEqual(['runc 1.1.5-1 → 1.1.5-2 *']);
    expect(settled.refused).toMatchObject([
      { proposal: { component: 'crictl', to: '1.36.0' }, why: expect.stringContaining('kubernetes/crictl-minor') },
    ]);
  });

  it('that breaks a constraint is not taken', async () => {
    const text = manifestText(
      debText('containerd', '1.6.20-1').replace('reason: a test', 'reason: a test\n    update: minor') +
        debText('x', '1', ['containerd < 1.7']),
    );
    const settled = await settle(text, { debs: { containerd: ['1.7.1-1'] } });
    expect(settled.refused).toMatchObject([{ why: expect.stringContaining('manifest/constraints') }]);
    expect(settled.text).toBe(text);
  });

  it('needs bytes for every architecture', async () => {
    const settled = await settle(manifestText(CRICTL), {
      available: new Map([['crictl', [{ version: '1.35.9', sources: {} }]]]),
    });
    expect(settled.taken).toEqual([]);
  });

  it('done twice is done once', async () => {
    const text = manifestText(KEYED + CRICTL);
    const available = new Map([
      ['kubelet', [offer('1.35.9')]],
      ['crictl', [offer('1.35.12', 'v1.35.12/crictl')]],
    ]);
    const once = await settle(text, { available });
    expect(once.taken).toHaveLength(2);
    const twice = await settle(once.text, { available });
    expect(twice.taken).toEqual([]);
    expect(twice.text).toBe(once.text);
  });
});

describe('an edit', () => {
  it.each<[string, Edit, string]>([
    ['a: 1.2 # x\nb: [ 1,2 ]\n', { do: 'set', path: ['a'], value: '1.3.1' }, 'a: 1.3.1 # x\nb: [ 1,2 ]\n'],
    ['a: "1.2"\n', { do: 'set', path: ['a'], value: '1.3' }, 'a: "1.3"\n'],
    ["a: '1.2'   # x", { do: 'set', path: ['a'], value: '1.3' }, "a: '1.3'   # x"],
    ['a: x1\n', { do: 'set', path: ['a'], value: '1.3' }, 'a: "1.3"\n'],
    [
      'a: [1.2.3, 1.2.4 ] # x\nb: 1\n',
      { do: 'append', path: ['a'], value: '1.2.5' },
      'a: [1.2.3, 1.2.4, 1.2.5 ] # x\nb: 1\n',
    ],
    [
      'a:\n- 1.2.3 # x\n# y\nb: 1\n',
      { do: 'append', path: ['a'], value: '1.2.4' },
      'a:\n- 1.2.3 # x\n- 1.2.4\n# y\nb: 1\n',
    ],
    [
      'a:\n  -   v: 1\n      w: { x: 1 }\n\nb: 1',
      { do: 'append', path: ['a'], value: { v: '2.0.0', w: { x: 'y' } } },
      'a:\n  -   v: 1\n      w: { x: 1 }\n  - v: 2.0.0\n    w:\n      x: y\n\nb: 1',
    ],
    ['a:\n  - v: 1', { do: 'append', path: ['a'], value: { v: 'z' } }, 'a:\n  - v: 1\n  - v: z'],
    ['a: [{v: 1}]\n', { do: 'append', path: ['a'], value: { v: 'z' } }, 'a: [{v: 1}, { v: z }]\n'],
  ])('of %j, %j, gives %j', async (text, edit, expected) => {
    expect(await editText(text, [edit])).toBe(expected);
  });

  it('leaves the text alone where nothing is edited', async () => {
    const odd = `${manifestText()}\n\n# end   \n`;
    expect(await editText(odd, [])).toBe(odd);
  });
});

describe('what is available', () => {
  let top: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'available-'));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));
  const fetched = async (components: string): Promise<FetchedComponent[]> => {
    const { components: all }: Manifest = await readManifest(manifestText(components), 'x');
    return all as FetchedComponent[];
  };

  it('is what the folder has that stands in for the mirror, as far as the policy goes', async () => {
    for (const version of ['v1.35.7', 'v1.35.9', 'v1.35.10', 'v1.36.0', 'latest']) {
      mkdirSync(join(top, version));
      if (version !== 'v1.35.10') writeFileSync(join(top, version, 'kubelet'), version);
    }
    const mirrors = createMirrors({ mirrors: new Map([['upstream:kubernetes', top]]), file: 'm', aptLines: [] });
    const available = await listMirrors(await fetched(KEYED), mirrors);
    expect(available.get('kubelet')).toEqual([
      { version: '1.35.10', sources: {} },
      { version: '1.35.9', sources: { amd64: { path: 'v1.35.9/kubelet', sha256: sha256Of('v1.35.9') } } },
    ]);
    const far = createMirrors({
      mirrors: new Map([['upstream:kubernetes', 'https://mirror.test/']]),
      file: 'm',
      aptLines: [],
    });
    expect((await listMirrors(await fetched(KEYED), far)).get('kubelet')).toEqual([]);
  });

  it('is what a file says', async () => {
    const file = join(top, 'versions.yaml');
    writeFileSync(
      file,
      `kubelet:\n  - { version: 1.35.9, sha256: { amd64: ${SHA} } }\n  - { version: 1.35.10, sha256: { amd64: ${SHA} }, path: { amd64: other/kubelet } }\n`,
    );
    const available = await readAvailable(file, await fetched(KEYED));
    expect(available.get('kubelet')).toEqual([
      { version: '1.35.9', sources: { amd64: { path: 'v1.35.9/kubelet', sha256: SHA } } },
      { version: '1.35.10', sources: { amd64: { path: 'other/kubelet', sha256: SHA } } },
    ]);
  });

  it.each(['{', 'kubelet: 7', 'kubelet: [{version: 1.2.3}]', '- a'])('is not %j', async (text) => {
    writeFileSync(join(top, 'bad.yaml'), text);
    await expect(readAvailable(join(top, 'bad.yaml'), [])).rejects.toMatchObject({ code: 'image/bad-available' });
    await expect(readAvailable(join(top, 'none.yaml'), [])).rejects.toMatchObject({ code: 'image/bad-available' });
  });
});
