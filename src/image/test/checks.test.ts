import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksOf, questionsFor } from './checks.ts';
import type { GuestFacts } from './guest-facts.ts';
import { expected, goodFacts } from './testing.ts';

const failedOf = (changes: Partial<GuestFacts>, way: 'kernel' | 'firmware' = 'kernel') =>
  checksOf({ ...expected, way }, { ...goodFacts, ...changes }).filter(({ isPassed }) => !isPassed);

const unit = (name: string, changes: Record<string, string>) =>
  new Map([...goodFacts.units, [name, { ...goodFacts.units.get(name), ...changes }]]);
const { units } = goodFacts;
const filesWithout = (path: string) => new Map([...goodFacts.files].filter(([one]) => one !== path));
const without = (name: string) => new Map([...units].filter(([one]) => one !== name));

describe('checksOf', () => {
  it('passes a node that matches its lock', () => {
    expect(failedOf({})).toEqual([]);
    expect(failedOf({ isUefi: true }, 'firmware')).toEqual([]);
  });

  it.each<[what: string, changes: Partial<GuestFacts>, name: string, detail: RegExp]>([
    ['another release file', { release: '{}' }, 'release', /differs/],
    ['another kernel', { kernelRelease: '5.0' }, 'kernel', /5\.0/],
    ['another boot method', { isUefi: true }, 'started-by', /UEFI/],
    ['a missing package', { dpkgStatus: '' }, 'packages', /systemd: expected 252\S+, got none/],
    [
      'a package that is not locked',
      { dpkgStatus: `${goodFacts.dpkgStatus}\nPackage: vim\nStatus: install ok installed\nVersion: 9\n` },
      'packages',
      /^vim: expected none, got 9$/,
    ],
    ['a missing file', { files: filesWithout('/etc/crictl.yaml') }, 'files', /crictl.yaml: expected \w+, got none/],
    [
      'a file with other bytes',
      { files: new Map([...goodFacts.files, ['/etc/crictl.yaml', 'f'.repeat(64)]]) },
      'files',
      /crictl.yaml: expected \w+, got ffff/,
    ],
    ['a missing unit', { units: without('kubelet.service') }, 'units.kubelet', /missing/],
    ['a unit that restarts', { units: unit('kubelet.service', { NRestarts: '3' }) }, 'units.kubelet', /restarted 3/],
    ['a failed unit', { units: unit('containerd.service', { ActiveState: 'failed' }) }, 'units.containerd', /^failed/],
    ['any other failed unit', { failedUnits: ['foo.service'] }, 'failed-units', /foo/],
    ['a daemon without a status', { nodeStatus: '' }, 'node', /no status/],
    ['a degraded daemon', { nodeStatus: '{"phase": "Degraded", "code": "x", "isReady": false}' }, 'node', /Degraded/],
    [
      'a document that was rolled back',
      { nodeStatus: '{"phase": "Applied", "code": "x", "isReady": true, "bad": [1]}' },
      'node',
      /Applied/,
    ],
    ['no machine id', { machineId: '' }, 'machine-id', /''/],
    ['a machine id from the image', { isMachineIdNew: false }, 'machine-id', /copied from the image/],
    [
      'a program that not every user may run',
      { modes: new Map([...goodFacts.modes, ['/usr/bin/kubelet', '700 0:0']]) },
      'placed',
      /kubelet: expected 755 0:0, got 700 0:0/,
    ],
    [
      'a file of an archive with other bytes',
      { files: new Map([...goodFacts.files, ['/opt/cni/bin/bridge', 'e'.repeat(64)]]) },
      'placed',
      /bridge: eeee/,
    ],
    ['a link with another target', { links: new Map() }, 'placed', /other: links to nothing/],
    ['a container image that is not unpacked', { readyImages: [] }, 'container-images', /pause:3\.10: missing/],
    ['a changed blob of a container image', { badBlobs: ['abc'] }, 'container-images', /abc: changed/],
    ['an unhealthy kubelet', { kubeletHealth: 'HTTP/1.0 500' }, 'kubelet-health', /500/],
    ['a kubelet that does not answer', { kubeletHealth: '' }, 'kubelet-health', /no response/],
    ['the stub resolver of the node', { resolvConf: 'nameserver 127.0.0.53\n' }, 'name-servers', /127\.0\.0\.53/],
    ['cloud-init', { cloudInit: ['/usr/bin/cloud-init'] }, 'cloud-init', /cloud-init/],
    ['a timer that installs things', { unitFiles: new Map([['apt-daily.timer', 'enabled']]) }, 'quiet', /apt-daily/],
    ['a root that did not grow', { rootBytes: 2 ** 31 }, 'grown', /2048 MiB of a disk with 4096 MiB/],
  ])('reports %s', (_what, changes, name, detail) => {
    expect(failedOf(changes)).toMatchObject([{ name, detail: expect.stringMatching(detail) }]);
  });

  it('does not pass checks without an answer', () => {
    const nothing: GuestFacts = {
      ...{ release: '', dpkgStatus: '', nodeStatus: '', machineId: '', kernelRelease: '', isUefi: false },
      ...{
        files: new Map(),
        modes: new Map(),
        links: new Map(),
        readyImages: [],
        badBlobs: [],
        kubeletHealth: '',
        resolvConf: '',
        isMachineIdNew: false,
        units: new Map(),
        unitFiles: new Map(),
        failedUnits: [],
        cloudInit: [],
        rootBytes: 0,
        diskBytes: 0,
      },
    };
    const passed = checksOf(expected, nothing).filter(({ isPassed }) => isPassed);
    expect(passed.map(({ name }) => name)).toEqual(['started-by', 'failed-units', 'cloud-init', 'quiet']);
  });

  it('reports a program of another version in both the locked and the installed files', () => {
    const files = new Map([...goodFacts.files, ['/usr/bin/kubelet', 'f'.repeat(64)]]);
    expect(failedOf({ files }).map(({ name }) => name)).toEqual(['files', 'placed']);
  });

  it('accepts any status text, and passes none of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (nodeStatus) => {
        fc.pre(!nodeStatus.includes('isReady'));
        expect(failedOf({ nodeStatus })).toMatchObject([{ name: 'node' }]);
      }),
    );
  });
});

describe('questionsFor', () => {
  it('covers the files of this patch version only', () => {
    expect(questionsFor(expected)).toMatchObject({
      files: ['/usr/bin/kubelet', '/etc/crictl.yaml', '/opt/cni/bin/bridge'],
      links: ['/opt/cni/bin/other'],
    });
  });
});
