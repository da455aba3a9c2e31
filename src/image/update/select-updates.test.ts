import { describe, expect, it } from 'vitest';
import type { ImageLock } from '../lock/lock.ts';
import type { IndexEntry, PackageIndex } from '../lock/package-index.ts';
import type { FetchedComponent } from '../manifest/manifest.ts';
import { debText, KUBELET, manifestText, SHA } from '../manifest/manifests.testing.ts';
import { readManifest } from '../manifest/read-manifest.ts';
import { sha256Of } from '../testing.ts';
import type { AvailableVersions } from './available.ts';
import { KEYED } from './manifests.testing.ts';
import { planUpdates } from './plan-update.ts';
import { selectUpdates } from './select-updates.ts';

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
  }) as unknown as ImageLock;

async function settle(
  text: string,
  offered: { available?: AvailableVersions; debs?: Record<string, string[]>; lock?: ImageLock },
) {
  const manifest = await readManifest(text, 'x');
  const proposals = planUpdates(manifest, {
    lock: offered.lock,
    index: index(offered.debs ?? {}),
    available: offered.available ?? new Map(),
  });
  return selectUpdates(text, manifest, proposals, offered.lock);
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
