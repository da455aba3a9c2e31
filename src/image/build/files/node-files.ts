// image/build/files/node-files.ts: which settings, units and folders make a Debian system an unconfigured node? Only files that are the same on
// all nodes, so that none has to create them at boot.
import { CLONE_CHECK_LINKS, cloneCheckFiles } from '../../../clone-check/image-files.ts';
import { type ImageFile, NETWORK_FILE, type SystemSettings } from '../../../host/debian/system-settings.ts';
import { unitFile } from '../../../node/desired/aspects/kubelet.ts';
import { BASE_PATH, DROP_IN_FOLDER, KIND, renderJson } from '../../../node/desired/kubelet-config.ts';
import { COMMAND_LINK } from '../../../node/units/executable-path.ts';
import { ENABLED_LINKS, unitFiles } from '../../../node/units/units.ts';
import { OWN_INITRD_FILES } from '../base/initrd.ts';
import {
  CONTAINERD_UNIT_TEXT,
  FIRST_TRIGGER,
  GROW_DEFINITIONS,
  GROW_UNIT,
  KUBELET_READ_UNIT,
  KUBELET_UNIT_TEXT,
  LATER_TRIGGER,
  LATER_TRIGGER_TIMER,
  STARTUP_CPU_WEIGHT,
} from './units.ts';

export const LABEL = 'headstart';

export type NodeFiles = SystemSettings;

/** `packages`: the installed Debian packages. A containerd that is not a package comes as an archive of programs. */
export function nodeFiles(packages: ReadonlySet<string>): NodeFiles {
  const hasResolver = packages.has('systemd-resolved');
  // In /etc, so that it overrides the unit of the package. Without a package, a manifest may still override it.
  const containerd = `${packages.has('containerd') ? '/etc/systemd/system' : UNITS}/containerd.service`;
  const links = {
    ...ENABLED_LINKS,
    ...CLONE_CHECK_LINKS,
    ...OWN_LINKS,
    [`${WANTS}/containerd.service`]: containerd,
    [COMMAND_LINK.path]: COMMAND_LINK.to,
  };
  return {
    initrdFiles: OWN_INITRD_FILES,
    files: [
      ...SYSTEM_FILES,
      // Replaces the resolv.conf of the build machine.
      ...(hasResolver ? [] : [{ path: RESOLV_CONF, mode: 0o644, text: '# No resolver was put on this image.\n' }]),
      kubeletBase(hasResolver),
      { path: containerd, mode: 0o644, text: CONTAINERD_UNIT_TEXT },
      ...[...WAITED_FOR, ...(hasResolver ? ['systemd-resolved'] : [])].map((service) => ({
        path: `${UNITS}/${service}.service.d/10-headstart-image.conf`,
        mode: 0o644,
        text: `[Service]\n${STARTUP_CPU_WEIGHT}`,
      })),
      { path: `${UNITS}/kubelet.service`, mode: 0o644, text: KUBELET_UNIT_TEXT },
      { path: `${UNITS}/systemd-udev-trigger.service.d/10-headstart-image.conf`, mode: 0o644, text: FIRST_TRIGGER },
      { path: `${UNITS}/headstart-all-devices.service`, mode: 0o644, text: LATER_TRIGGER },
      { path: `${UNITS}/headstart-all-devices.timer`, mode: 0o644, text: LATER_TRIGGER_TIMER },
      { path: `${UNITS}/headstart-read-kubelet.service`, mode: 0o644, text: KUBELET_READ_UNIT },
      kubeletDropIn(),
      ...[...unitFiles(), ...cloneCheckFiles()].map((file) => ({ ...file, path: `/${file.path}` })),
    ],
    commands: [
      ...FOLDERS.map(([folder, mode]) => ['install', '-d', '-m', mode, folder] as const),
      ...Object.entries(links).flatMap(([path, to]) => link(`/${path}`, to)),
      ...MASKED.flatMap((unit) => link(`/etc/systemd/system/${unit}`, '/dev/null')),
      ...(hasResolver ? link(RESOLV_CONF, `..${SERVERS_FILE}`) : []),
      ...(packages.has('containernetworking-plugins') ? [LINK_PLUGINS] : []),
      ['passwd', '--quiet', '--lock', 'root'],
    ],
    removed: REMOVED,
  };
}

const UNITS = '/usr/lib/systemd/system';
/** Units that the daemon, the network or sysinit.target waits for, and therefore kubelet. */
const WAITED_FOR = [
  ...['systemd-journald', 'systemd-journal-flush', 'systemd-remount-fs', 'systemd-modules-load', 'systemd-sysctl'],
  ...['systemd-tmpfiles-setup', 'systemd-tmpfiles-setup-dev', 'systemd-udevd', 'systemd-networkd'],
  ...['systemd-random-seed', 'systemd-update-utmp', 'kmod-static-nodes', 'modprobe@'],
];
const RESOLV_CONF = '/etc/resolv.conf';
/** Lists the real name servers. The stub that the systemd-resolved package links to is a loopback address, which pods cannot reach. */
const SERVERS_FILE = '/run/systemd/resolve/resolv.conf';

export const CNI_FOLDER = '/opt/cni/bin';
/** containerd looks for all CNI plugins in this folder, where network agents install theirs. */
const LINK_PLUGINS = [
  ...(['find', '/usr/lib/cni', '-type', 'f'] as const),
  ...['-exec', 'ln', '-sfn', '-t', CNI_FOLDER, '{}', '+'],
] as const;
const WANTS = 'etc/systemd/system/multi-user.target.wants';

function link(path: string, to: string): (readonly [string, ...string[]])[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [
    ['mkdir', '-p', folder],
    ['ln', '-sfn', to, path],
  ];
}

/** The links that `systemctl enable` would create. */
const OWN_LINKS: Readonly<Record<string, string>> = {
  [`${WANTS}/kubelet.service`]: `${UNITS}/kubelet.service`,
  'etc/systemd/system/timers.target.wants/headstart-all-devices.timer': `${UNITS}/headstart-all-devices.timer`,
  'etc/systemd/system/sysinit.target.wants/headstart-read-kubelet.service': `${UNITS}/headstart-read-kubelet.service`,
  'etc/systemd/system/sysinit.target.wants/headstart-grow-root.service': `${UNITS}/headstart-grow-root.service`,
  [`${WANTS}/systemd-networkd.service`]: `${UNITS}/systemd-networkd.service`,
  'etc/systemd/system/sockets.target.wants/systemd-networkd.socket': `${UNITS}/systemd-networkd.socket`,
  'etc/systemd/system/dbus-org.freedesktop.network1.service': `${UNITS}/systemd-networkd.service`,
};

/**
 * Units that change packages or use the disk at arbitrary times. A node is replaced, not upgraded. Masking also works for units that
 * are not installed.
 */
const MASKED = [
  ...['apt-daily.service', 'apt-daily.timer', 'apt-daily-upgrade.service', 'apt-daily-upgrade.timer'],
  ...['unattended-upgrades.service', 'dpkg-db-backup.timer', 'man-db.timer'],
  ...['e2scrub_all.timer', 'e2scrub_reap.service', 'getty@tty1.service'],
  // The image has its own repart unit; this one would load modules that no component needs.
  'systemd-repart.service',
  // kubelet does not need all links to be online; the daemon itself checks the network that it needs.
  'systemd-networkd-wait-online.service',
];

const FOLDERS: readonly (readonly [folder: string, mode: string])[] = [
  ...['/etc/kubernetes', '/etc/kubernetes/manifests', '/etc/kubernetes/pki', '/etc/kubernetes/kubelet'].map(
    (folder) => [folder, '755'] as const,
  ),
  [DROP_IN_FOLDER, '755'],
  ['/usr/libexec/kubernetes/kubelet-plugins/volume/exec', '755'],
  ['/var/lib/kubelet', '750'],
  ['/var/log/pods', '750'],
  ['/var/log/containers', '755'],
  [CNI_FOLDER, '755'],
  ['/etc/cni/net.d', '755'],
  ['/etc/containerd/certs.d', '755'],
  ['/etc/containerd/conf.d', '755'],
  ['/var/lib/containerd', '700'],
  ['/usr/lib/headstart', '755'],
];

const SYSTEM_FILES: ImageFile[] = [
  {
    // A line for the root would make systemd remount it while everything else waits.
    path: '/etc/fstab',
    mode: 0o644,
    text: "# The root is mounted once, as the kernel's arguments say.\n",
  },
  // Not in the default folder: systemd's own repart unit, or growing by fstab, would delay the daemon.
  { path: `${GROW_DEFINITIONS}/50-root.conf`, mode: 0o644, text: '[Partition]\nType=root\n' },
  { path: `${UNITS}/headstart-grow-root.service`, mode: 0o644, text: GROW_UNIT },
  { path: '/etc/hosts', mode: 0o644, text: '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' },
  {
    path: '/etc/modules-load.d/headstart-image.conf',
    mode: 0o644,
    text: 'overlay\nbr_netfilter\nnf_conntrack\n',
  },
  {
    // After the settings of distributions (10-… and 50-…), before those of documents (90-…).
    path: '/etc/sysctl.d/60-headstart-image.conf',
    mode: 0o644,
    text: `net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
net.ipv4.ip_forward = 1
net.ipv6.conf.all.forwarding = 1
# What kubelet insists on with protectKernelDefaults.
kernel.panic = 10
kernel.panic_on_oops = 1
kernel.keys.root_maxkeys = 1000000
kernel.keys.root_maxbytes = 25000000
vm.overcommit_memory = 1
vm.panic_on_oom = 0
fs.inotify.max_user_instances = 8192
fs.inotify.max_user_watches = 524288
`,
  },
  {
    path: '/etc/systemd/network/10-headstart-shared.network',
    mode: 0o644,
    text: `# A cloud's second, faster way to the same network: the first one uses it, and the address is on that.
[Match]
Driver=mlx4_core mlx4_en mlx5_core mana

[Link]
Unmanaged=yes
`,
  },
  NETWORK_FILE,
  // As old as all other files, so that systemd considers the system up to date. Otherwise units for the first boot after an update
  // would run, with udev and the network waiting for them.
  ...['/etc/.updated', '/var/.updated'].map((path) => ({ path, mode: 0o644, text: '# When the image was made.\n' })),
];

/** The drop-in that the daemon writes for most documents. If it exists, systemd need not reload on the first boot. */
function kubeletDropIn(): ImageFile {
  const { path, mode, content } = unitFile();
  return { path, mode, text: content as string };
}

function kubeletBase(hasResolver: boolean): ImageFile {
  const config = {
    ...KIND,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'systemd',
    staticPodPath: '/etc/kubernetes/manifests',
    volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec',
    // Independent of the link /etc/resolv.conf: a cluster DNS server that forwards to the node's stub ends up asking itself.
    ...(hasResolver && { resolvConf: SERVERS_FILE }),
    // Deny all requests until a document defines who may do what.
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    readOnlyPort: 0,
  };
  return { path: BASE_PATH, mode: 0o644, text: renderJson(config) };
}

const REMOVED = [
  // Each machine generates its own.
  '/etc/ssh/ssh_host_*',
  '/etc/hostname',
  '/etc/.resolv.conf.systemd-resolved.bak',
  '/var/lib/dbus/machine-id',
  '/var/lib/systemd/random-seed',
  '/var/lib/systemd/credential.secret',
  // Traces of the build machine and its mirrors.
  '/etc/apt/sources.list',
  '/etc/apt/sources.list.d/*',
  '/etc/apt/apt.conf.d/99mmdebstrap',
  '/var/lib/apt/lists/*',
  '/var/cache/apt/*',
  // Traces of the build time.
  '/var/log/apt',
  '/var/log/*.log',
  '/var/log/journal',
  '/var/cache/ldconfig/aux-cache',
  '/var/cache/debconf/*-old',
  '/var/lib/dpkg/*-old',
  '/var/lib/cloud',
  '/etc/passwd-',
  '/etc/group-',
  '/etc/shadow-',
  '/etc/gshadow-',
  '/etc/subuid-',
  '/etc/subgid-',
  '/etc/.pwd.lock',
  '/tmp/*',
  '/var/tmp/*',
  '/run/*',
  // Links to files on the boot partition.
  '/vmlinuz*',
  '/initrd.img*',
];
