// image/build/files/units.ts: how are containerd and kubelet started on an image of ours, when does udev come to which device, and how does its root grow?

/** While the machine starts, what is on the way to a running kubelet goes before what is not, all of that together. */
export const STARTUP_CPU_WEIGHT = 'StartupCPUWeight=10000\n';
/** Before others of its kind, but nobody waits for it yet. */
const BESIDE_IT = 'StartupCPUWeight=1000\n';
/** Not only until systemd has started everything: what was put off would take the processor from a node that is not Ready yet. */
const ALL_THE_TIME = `CPUWeight=1000\n${STARTUP_CPU_WEIGHT}`;

/**
 * With the file systems, not behind the network, where packages have it: what it runs, it runs for kubelet, which waits for both. Limits are
 * said explicitly: newer releases leave the one of open files to systemd, and then it is 1024.
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
${ALL_THE_TIME}
[Install]
WantedBy=multi-user.target
`;

/** Flags and conditions are in the daemon's own drop-ins; without them it would be a kubelet without a cluster. The network stops after it. */
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
${ALL_THE_TIME}
[Install]
WantedBy=multi-user.target
`;

/** From 1.32 on kubelet tells systemd that it is alive; a kubelet that does not know this would be killed. */
export const KUBELET_WATCHDOG = `[Service]
WatchdogSec=60
`;

/**
 * While the node waits for its configuration: kubelet is eighty megabytes on a disk that nobody has read yet, and starting it once, to say no
 * more than its version, reads what every start needs. It has less of the processor than what others wait for.
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
${BESIDE_IT}User=nobody
NoNewPrivileges=yes
`;

/**
 * Devices that a node needs to be a node, and the buses on which their drivers are found. All devices are four hundred, most of them consoles,
 * modules and parts of the mainboard; the network would come when udev has been through them.
 */
const FIRST_DEVICES = [
  ...['net', 'block', 'pci', 'virtio', 'vmbus', 'scsi', 'nvme'],
  ...['virtio-ports', 'misc', 'ptp', 'rtc'],
];
const CONSOLES = ['ttyS*', 'ttyAMA*', 'hvc*', 'console'];
/** How a platform without an agent asks for a shutdown. */
const POWER_BUTTONS = ['LNXPWRBN:*', 'PNP0C0C:*'];

const trigger = (...options: string[]) => `ExecStart=-udevadm trigger --action=add ${options.join(' ')}\n`;
const matching = (what: string, values: readonly string[]) => values.map((value) => `--${what}-match=${value}`);

/** Instead of what the unit has. */
export const FIRST_TRIGGER = `[Service]
ExecStart=
${trigger('--prioritized-subsystem=net,block', ...matching('subsystem', FIRST_DEVICES))}\
${trigger('--subsystem-match=tty', ...matching('sysname', CONSOLES))}\
${trigger('--subsystem-match=acpi', ...matching('sysname', POWER_BUTTONS))}${STARTUP_CPU_WEIGHT}`;

/**
 * What systemd's own unit does, but for networks and disks: they had their turn, and those that came since were told of. Once more, a rule would
 * set the kernel's settings of an interface again that a pod's network has since made its own.
 */
export const LATER_TRIGGER = `[Unit]
Description=Have udev come to all other devices
ConditionPathIsReadWrite=/sys

[Service]
Type=oneshot
${trigger('--type=all', '--subsystem-nomatch=net', '--subsystem-nomatch=block')}`;

/** At a moment when a node of a cloud is long in service, and whether this one has become a node or not. */
export const LATER_TRIGGER_TIMER = `[Unit]
Description=Have udev come to all other devices

[Timer]
OnBootSec=90s
AccuracySec=1s

[Install]
WantedBy=timers.target
`;

export const GROW_DEFINITIONS = '/usr/lib/headstart/repart.d';

/** The partition first, so that there is something for the file system to grow into. Only kubelet asks how large that is. */
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
${BESIDE_IT}`;
