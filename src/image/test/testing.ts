// image/test/testing.ts: a minimal build folder, and the facts of a guest that matches it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildRecord } from '../build/contract.ts';
import { qcow2Header } from '../build/disk/own-disk.testing.ts';
import { vhdFooter } from '../build/disk/vhd.ts';
import { type PlacedFile, renderPlaced } from '../build/files/placed-files.ts';
import { renderImageList } from '../report/image-list.ts';
import { sha256Of } from '../testing.ts';
import type { ExpectedImage } from './checks.ts';
import type { GuestFacts } from './guest-facts.ts';

const LOCK = {
  artifacts: [
    { component: 'systemd', kind: 'deb', version: '252.39-1~deb12u2', sha256: sha256Of('systemd') },
    {
      component: 'kubelet',
      kind: 'binary',
      version: '1.35.8',
      kubernetes: '1.35.8',
      sha256: sha256Of('kubelet 1.35.8'),
      install: { to: '/usr/bin/kubelet' },
    },
    {
      component: 'kubelet',
      kind: 'binary',
      version: '1.35.9',
      kubernetes: '1.35.9',
      sha256: sha256Of('kubelet 1.35.9'),
      install: { to: '/usr/bin/kubelet' },
    },
  ],
  files: [{ to: '/etc/crictl.yaml', sha256: sha256Of('crictl') }],
} as const;

const DISK_BYTES = 2 ** 20;
const PLACED: PlacedFile[] = [
  { path: '/usr/bin/kubelet', mode: 0o755, sha256: sha256Of('kubelet 1.35.8') },
  { path: '/opt/cni/bin/bridge', mode: 0o755, sha256: sha256Of('bridge') },
  { path: '/opt/cni/bin/other', to: 'bridge' },
];
const IMAGES = [
  { component: 'pause', name: 'registry.k8s.io/pause:3.10', digest: `sha256:${sha256Of('pause')}`, bytes: 1 },
];

export const BUILD_FILES: Readonly<Record<string, string | Buffer>> = {
  'disk.qcow2': qcow2Header(DISK_BYTES),
  'disk.vhd': Buffer.concat([Buffer.alloc(DISK_BYTES), vhdFooter(DISK_BYTES, '11223344-5566-8788-89aa-bbccddeeff00')]),
  vmlinux: 'a kernel',
  'initrd.cpio': 'an initrd',
  'release.json': '{"version": "1.35.8-2026.1116.0"}\n',
  'lock.json': JSON.stringify(LOCK),
  'files.json': renderPlaced(PLACED),
  'images.json': renderImageList(IMAGES),
};

export const build: BuildRecord = {
  apiVersion: 'headstart.dev/v1',
  kind: 'ImageBuild',
  name: 'node',
  version: '1.35.8-2026.1116.0',
  kubernetes: '1.35.8',
  architecture: 'amd64',
  contentSha256: sha256Of('content'),
  base: { origin: 'debian:bookworm', date: '2026.1116', patch: 0 },
  kernelRelease: '6.1.0-41-cloud-amd64',
  kernelArgs: 'root=PARTUUID=11223344-5566-8788-89aa-bbccddeeff00 rw console=ttyS0 panic=10',
  root: 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00',
  contentBytes: 500e6,
  diskBytes: DISK_BYTES,
  files: Object.fromEntries(
    Object.entries(BUILD_FILES).map(([name, text]) => [name, { sha256: sha256Of(text), bytes: text.length }]),
  ),
};

const RELEASE = String(BUILD_FILES['release.json']);

export const expected: ExpectedImage = {
  ...{ build, lock: LOCK, release: RELEASE, way: 'kernel' },
  ...{ placed: PLACED, images: IMAGES },
};

export function writeBuild(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'build.json'), JSON.stringify(build));
  for (const [name, text] of Object.entries(BUILD_FILES)) writeFileSync(join(folder, name), text);
}

const active = (Id: string) => ({ Id, ActiveState: 'active', SubState: 'running', Result: 'success', NRestarts: '0' });
const UNITS = ['headstart-node.service', 'headstart-node-ready.target', 'containerd.service', 'kubelet.service'];

/** The facts of a healthy node. */
export const goodFacts: GuestFacts = {
  release: RELEASE,
  dpkgStatus: 'Package: systemd\nStatus: install ok installed\nVersion: 252.39-1~deb12u2\n',
  files: new Map([
    ['/usr/bin/kubelet', sha256Of('kubelet 1.35.8')],
    ['/etc/crictl.yaml', sha256Of('crictl')],
    ['/opt/cni/bin/bridge', sha256Of('bridge')],
  ]),
  modes: new Map([
    ['/usr/bin/kubelet', '755 0:0'],
    ['/etc/crictl.yaml', '644 0:0'],
    ['/opt/cni/bin/bridge', '755 0:0'],
  ]),
  links: new Map([['/opt/cni/bin/other', 'bridge']]),
  readyImages: ['registry.k8s.io/pause:3.10', `registry.k8s.io/pause@${IMAGES[0]!.digest}`],
  badBlobs: [],
  kubeletHealth: 'HTTP/1.0 200 OK',
  resolvConf: 'nameserver 168.63.129.16\nsearch .\n',
  units: new Map(UNITS.map((name) => [name, active(name)])),
  failedUnits: [],
  nodeStatus: '{"phase": "Applied", "code": "node/applied", "isReady": true, "bad": []}',
  machineId: '0123456789abcdef0123456789abcdef',
  isMachineIdNew: true,
  cloudInit: [],
  unitFiles: new Map([['apt-daily.timer', 'masked']]),
  rootBytes: 3.8 * 2 ** 30,
  diskBytes: 4 * 2 ** 30,
  isUefi: false,
  kernelRelease: '6.1.0-41-cloud-amd64',
};
