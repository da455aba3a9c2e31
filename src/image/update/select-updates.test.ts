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

async function select(
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
const summaryOf = ({ taken }: Awaited<ReturnType<typeof select>>) =>
  taken.map(({ component, from, to, edits }) => `${component} ${from} → ${to}${edits.length > 0 ? ' *' : ''}`);

describe('selectUpdates', () => {
  it('changes only the lock for a package with a wildcard version, within that wildcard', async () => {
    const debs = { containerd: ['1.6.20-1', '1.6.20-2', '1.6.21-1', '1.7.0-1'], runc: ['1.1.5', '1.1.6'] };
    const lock = lockOf({ containerd: '1.6.20-1', runc: '1.1.5' });
    const selected = await select(manifestText(debText('containerd', '1.6.*') + debText('runc', '*')), { debs, lock });
    expect(summaryOf(selected)).toEqual(['containerd 1.6.20-1 → 1.6.21-1', 'runc 1.1.5 → 1.1.6']);
  });

  it('edits the manifest for an exact version, and skips a wildcard version without a lock', async () => {
    const text = manifestText(debText('containerd', '1.6.20-1') + debText('runc', '*'));
    const selected = await select(text, { debs: { containerd: ['1.6.20-2', '1.7.0-1'], runc: ['9'] } });
    expect(summaryOf(selected)).toEqual(['containerd 1.6.20-1 → 1.6.20-2 *']);
    expect(selected.text).toBe(text.replace('1.6.20-1', '1.6.20-2'));
  });

  it('adds a Kubernetes patch version once all components that follow it have it, and keeps comments', async () => {
    const kubectl = KEYED.replaceAll('kubelet', 'kubectl');
    const text = manifestText(KEYED + kubectl, '# which\n');
    const available = new Map([
      ['kubelet', [offer('1.35.9'), offer('1.35.10'), offer('1.36.0')]],
      ['kubectl', [offer('1.35.9', 'v1.35.9/kubectl')]],
    ]);
    const selected = await select(text, { available });
    expect(summaryOf(selected)).toEqual(['kubernetes 1.35.8 → 1.35.9 *']);
    expect(selected.manifest.kubernetes).toEqual(['1.35.8', '1.35.9']);
    expect(selected.manifest.components.map((component) => (component as FetchedComponent).versions.at(-1))).toEqual([
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
    for (const comment of ['# which', '# the agent', '# keep']) expect(selected.text).toContain(comment);
  });

  it('refuses an update that breaks a rule, names the rule, and applies the others', async () => {
    const text = manifestText(CRICTL + debText('runc', '1.1.5-1'));
    const selected = await select(text, {
      available: new Map([['crictl', [offer('1.36.0')]]]),
      debs: { runc: ['1.1.5-2'] },
    });
    expect(summaryOf(selected)).toEqual(['runc 1.1.5-1 → 1.1.5-2 *']);
    expect(selected.refused).toMatchObject([
      { proposal: { component: 'crictl', to: '1.36.0' }, why: expect.stringContaining('kubernetes/crictl-minor') },
    ]);
  });

  it('refuses an update that breaks a constraint', async () => {
    const text = manifestText(
      debText('containerd', '1.6.20-1').replace('reason: a test', 'reason: a test\n    update: minor') +
        debText('x', '1', ['containerd < 1.7']),
    );
    const selected = await select(text, { debs: { containerd: ['1.7.1-1'] } });
    expect(selected.refused).toMatchObject([{ why: expect.stringContaining('manifest/constraints') }]);
    expect(selected.text).toBe(text);
  });

  it('skips a version without a source for every architecture', async () => {
    const selected = await select(manifestText(CRICTL), {
      available: new Map([['crictl', [{ version: '1.35.9', sources: {} }]]]),
    });
    expect(selected.taken).toEqual([]);
  });

  it('is idempotent', async () => {
    const text = manifestText(KEYED + CRICTL);
    const available = new Map([
      ['kubelet', [offer('1.35.9')]],
      ['crictl', [offer('1.35.12', 'v1.35.12/crictl')]],
    ]);
    const once = await select(text, { available });
    expect(once.taken).toHaveLength(2);
    const twice = await select(once.text, { available });
    expect(twice.taken).toEqual([]);
    expect(twice.text).toBe(once.text);
  });
});
