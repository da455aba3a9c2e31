// image/build/files/units.ts: how does an image start containerd and kubelet, in which order does udev handle devices, and how does the root grow?

/** During boot, units that kubelet waits for get more CPU than all others together. */
export const STARTUP_CPU_WEIGHT = 'StartupCPUWeight=10000\n';
/** More CPU than other units, but less than those that kubelet waits for. */
const SECONDARY_CPU_WEIGHT = 'StartupCPUWeight=1000\n';
/** Also after boot: otherwise delayed units would take CPU from a node that is not Ready yet. */
const PERMANENT_CPU_WEIGHT = `CPUWeight=1000\n${STARTUP_CPU_WEIGHT}`;

/**
 * Starts with the local file systems; the units of packages start it after the network. kubelet waits for both anyway. Sets limits
 * explicitly, because newer releases leave the limit of open files to systemd, whose default is 1024.
 */
export const CONTAINERD_UNIT_TEXT = `[Unit]
Description=containerd: runs containers
DefaultDependencies=no
Conflicts=shutdown.target
After=local-fs.target systemd-remount-fs.service systemd-journald.socket
After=systemd-modules-load.service systemd-sysctl.service headstart-clone-check.service
Before=shutdown.target
RequiresMountsFor=/etc /usr /var/lib/containerd

[Service]
ExecStart=containerd
Type=notify
Restart=always
RestartSec=5
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
Delegate=yes
KillMode=process
${PERMANENT_CPU_WEIGHT}
[Install]
WantedBy=multi-user.target
`;

/** The daemon's drop-ins add flags and conditions; without them this would be a standalone kubelet. kubelet stops before the network. */
export const KUBELET_UNIT_TEXT = `[Unit]
Description=kubelet: the node's part of Kubernetes
Wants=containerd.service
After=containerd.service network.target
StartLimitIntervalSec=0

[Service]
ExecStart=kubelet --config=/etc/kubernetes/kubelet/config.yaml
Restart=always
RestartSec=2
KillMode=process
OOMScoreAdjust=-999
CPUAccounting=yes
MemoryAccounting=yes
${PERMANENT_CPU_WEIGHT}
[Install]
WantedBy=multi-user.target
`;

/** kubelet supports the systemd watchdog since 1.32; the watchdog would kill an older one. */
export const KUBELET_WATCHDOG = `[Service]
WatchdogSec=60
`;

/**
 * Reads kubelet into the page cache while the node waits for its configuration: the program is 80 MB large, and running it once to print its
 * version reads what every start needs. It gets less CPU than units that others wait for.
 */
export const KUBELET_READ_UNIT = `[Unit]
Description=Read kubelet from the disk before it is needed
DefaultDependencies=no
Conflicts=shutdown.target
After=systemd-remount-fs.service headstart-clone-check.service
Before=shutdown.target
ConditionPathExists=!/run/headstart/ready

[Service]
Type=exec
ExecStart=-kubelet --version
StandardOutput=null
${SECONDARY_CPU_WEIGHT}User=nobody
NoNewPrivileges=yes
`;

/**
 * The devices that a node needs, and the buses of their drivers. There are about 400 devices, mostly consoles, modules and parts of the
 * mainboard; without this list the network would wait until udev has handled all of them.
 */
const FIRST_DEVICES = [
  ...['net', 'block', 'pci', 'virtio', 'vmbus', 'scsi', 'nvme'],
  ...['virtio-ports', 'misc', 'ptp', 'rtc'],
];
const CONSOLES = ['ttyS*', 'ttyAMA*', 'hvc*', 'console'];
/** Platforms without an agent use it to request a shutdown. */
const POWER_BUTTONS = ['LNXPWRBN:*', 'PNP0C0C:*'];

const trigger = (...options: string[]) => `ExecStart=-udevadm trigger --action=add ${options.join(' ')}\n`;
const matching = (what: string, values: readonly string[]) => values.map((value) => `--${what}-match=${value}`);

/** Replaces the commands of the unit. */
export const FIRST_TRIGGER = `[Service]
ExecStart=
${trigger('--prioritized-subsystem=net,block', ...matching('subsystem', FIRST_DEVICES))}\
${trigger('--subsystem-match=tty', ...matching('sysname', CONSOLES))}\
${trigger('--subsystem-match=acpi', ...matching('sysname', POWER_BUTTONS))}${STARTUP_CPU_WEIGHT}`;

/**
 * Does what systemd's own unit does, except for networks and disks, which were triggered before; later ones send their own events. Triggering
 * an interface again would let a rule reset kernel settings that a pod network has changed since.
 */
export const LATER_TRIGGER = `[Unit]
Description=Let udev handle the remaining devices
ConditionPathIsReadWrite=/sys

[Service]
Type=oneshot
${trigger('--type=all', '--subsystem-nomatch=net', '--subsystem-nomatch=block')}`;

/** Late enough that a cloud node is in service, and independent of whether this machine became a node. */
export const LATER_TRIGGER_TIMER = `[Unit]
Description=Let udev handle the remaining devices

[Timer]
OnBootSec=90s
AccuracySec=1s

[Install]
WantedBy=timers.target
`;

export const GROW_DEFINITIONS = '/usr/lib/headstart/repart.d';

/** Grows the partition first, then the file system. Only kubelet waits for it, because it reads the size. */
export const GROW_UNIT = `[Unit]
Description=Grow the root file system to the size of its disk
DefaultDependencies=no
Conflicts=shutdown.target
After=systemd-remount-fs.service
Before=kubelet.service shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/systemd-repart --dry-run=no --definitions=${GROW_DEFINITIONS}
ExecStart=/usr/lib/systemd/systemd-growfs /
${SECONDARY_CPU_WEIGHT}`;
