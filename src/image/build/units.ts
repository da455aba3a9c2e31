// image/build/units.ts: how are containerd and kubelet started on an image of ours, and how does its root grow?

/** Said explicitly: newer releases leave the limit of open files to systemd, and then it is 1024. */
export const CONTAINERD_DROP_IN = `[Service]
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
Delegate=yes
KillMode=process
`;

/** For a containerd that came as an archive, where such archives are unpacked. */
export const CONTAINERD_UNIT = `[Unit]
Description=containerd: runs containers
After=network.target local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart=/usr/local/bin/containerd
Type=notify
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
`;

/** Flags, order and conditions are added by the daemon's own drop-ins; without them it would be a kubelet without a cluster. */
export const KUBELET_UNIT = `[Unit]
Description=kubelet: the node's part of Kubernetes
Wants=containerd.service
After=containerd.service
StartLimitIntervalSec=0

[Service]
ExecStart=kubelet --config=/etc/kubernetes/kubelet/config.yaml
Restart=always
RestartSec=2
KillMode=process
OOMScoreAdjust=-999
CPUAccounting=yes
MemoryAccounting=yes

[Install]
WantedBy=multi-user.target
`;

/** From 1.32 on kubelet tells systemd that it is alive; a kubelet that does not know this would be killed. */
export const KUBELET_WATCHDOG = `[Service]
WatchdogSec=60
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
`;
