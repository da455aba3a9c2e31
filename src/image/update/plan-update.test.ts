import { describe, expect, it } from 'vitest';
import { aDeb, aLock } from '../lock/lock.testing.ts';
import type { ImageLock } from '../lock/lock.ts';
import type { IndexEntry } from '../lock/package-index.ts';
import { aManifest, debText, fileText, KUBELET, SHA } from '../manifest/manifests.testing.ts';
import type { AvailableVersion } from './available.ts';
import { KEYED } from './manifests.testing.ts';
import { planUpdates } from './plan-update.ts';

const entries = (name: string, ...versions: string[]): [string, IndexEntry[]] => [
  name,
  versions.map((version) => ({ name, version, suite: 's', path: 'p', sha256: SHA, bytes: 1, isBasic: false })),
];
const offer = (version: string, architectures = ['amd64']): AvailableVersion => ({
  version,
  sources: Object.fromEntries(architectures.map((each) => [each, { path: `v${version}/${each}`, sha256: SHA }])),
});

interface Offers {
  lock?: ImageLock;
  debs?: [string, IndexEntry[]][];
  fetched?: [string, AvailableVersion[]][];
  kubernetes?: string;
}

async function plan(components: string, { lock, debs = [], fetched = [], kubernetes }: Offers) {
  const offered = { lock, index: new Map(debs), available: new Map(fetched) };
  return planUpdates(await aManifest(components, kubernetes), offered);
}

describe('planUpdates', () => {
  it('proposes a newer package and the edit for it', async () => {
    const proposals = await plan(debText('runc', '1.1.5-1'), { debs: [entries('runc', '1.1.5-2', '1.2.0-1')] });
    const edits = [{ do: 'set', path: ['components', 0, 'version'], value: '1.1.5-2' }];
    expect(proposals).toEqual([
      { component: 'runc', kind: 'deb', from: '1.1.5-1', to: '1.1.5-2', policy: 'patch', edits },
    ]);
  });

  it('compares a package with a wildcard version with the lock, and edits nothing', async () => {
    const lock = aLock({ artifacts: [aDeb('runc', '1.1.5-1')] });
    const debs = [entries('runc', '1.1.5-2', '1.2.0-1')];
    expect(await plan(debText('runc', '1.1.*'), { lock, debs })).toMatchObject([{ to: '1.1.5-2', edits: [] }]);
    expect(await plan(debText('runc', '1.1.*'), { debs })).toEqual([]);
    expect(await plan(debText('runc', '2.*'), { lock, debs })).toEqual([]);
  });

  it('replaces version, path and hash of a program, for the architectures in the manifest', async () => {
    const fetched: [string, AvailableVersion[]][] = [['kubelet', [offer('1.35.9', ['amd64', 'arm64'])]]];
    const [proposal] = await plan(KUBELET, { fetched });
    expect(proposal!.edits.map(({ path, value }) => [path.slice(4).join('.'), value])).toEqual([
      ['version', '1.35.9'],
      ['sources.amd64.path', 'v1.35.9/amd64'],
      ['sources.amd64.sha256', SHA],
    ]);
  });

  it('skips versions that lack an architecture, and files', async () => {
    expect(await plan(KUBELET, { fetched: [['kubelet', [offer('1.35.9', ['arm64'])]]] })).toEqual([]);
    expect(await plan(fileText('motd', '/etc/motd', 'x'), {})).toEqual([]);
  });

  it('adds a Kubernetes patch version, with all components that follow it and their origins', async () => {
    const [proposal] = await plan(KEYED, { fetched: [['kubelet', [offer('1.35.9'), offer('1.36.0')]]] });
    expect(proposal).toMatchObject({ component: 'kubernetes', kind: 'kubernetes', from: '1.35.8', to: '1.35.9' });
    expect(proposal!.edits.map(({ do: how, path }) => `${how} ${path.join('.')}`)).toEqual([
      'append kubernetes',
      'append components.0.versions',
    ]);
    expect(proposal!.edits[1]!.value).toMatchObject({ sources: { amd64: { origin: 'upstream:kubernetes' } } });
  });

  it('adds no Kubernetes version if a component that follows it lacks that version or is frozen', async () => {
    const both = KEYED + KEYED.replaceAll('kubelet', 'kubectl');
    const fetched: [string, AvailableVersion[]][] = [['kubelet', [offer('1.35.9')]]];
    expect(await plan(both, { fetched })).toEqual([]);
    const frozen = KEYED.replace('reason: the node agent', 'reason: the node agent\n    update: frozen');
    expect(await plan(frozen, { fetched })).toEqual([]);
  });

  it('starts from the newest patch of each minor', async () => {
    const two = KEYED.replace(
      '    install:',
      `      - version: 1.35.10
        kubernetes: 1.35.10
        sources: { amd64: { origin: upstream:kubernetes, path: v1.35.10/kubelet, sha256: ${SHA} } }
    install:`,
    );
    const fetched: [string, AvailableVersion[]][] = [['kubelet', [offer('1.35.9'), offer('1.35.11')]]];
    expect(await plan(two, { fetched, kubernetes: '1.35.8, 1.35.10' })).toMatchObject([
      { from: '1.35.10', to: '1.35.11' },
    ]);
  });
});
