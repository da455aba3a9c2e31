// e2e/labs/node-image-files.ts: the files that turn the base image into a node image: the executable with its units, the clone check, the release file, and
// stand-ins for containerd and kubelet that check their configuration as strictly as the tests need.
import { CLONE_CHECK_LINKS, cloneCheckFiles } from '../../src/clone-check/image-files.ts';
import type { DiskFile } from '../../src/image/build/disk/put-files.ts';
import { BASE_PATH } from '../../src/node/desired/kubelet-config.ts';
import { COMMAND_LINK, EXECUTABLE_PATH } from '../../src/node/units/executable-path.ts';
import { ENABLED_LINKS, unitFiles } from '../../src/node/units/units.ts';

export const KUBERNETES_VERSION = '1.34.2';
/** What the stand-in for kubelet was started with last, and how often it was. */
export const KUBELET_SEEN = '/run/kubelet-seen';

export function nodeImageFiles(executable: string): DiskFile[] {
  return [
    { path: EXECUTABLE_PATH, mode: 0o755, from: executable },
    COMMAND_LINK,
    ...unitFiles().map(({ path, mode, text }) => ({ path, mode, bytes: text })),
    ...Object.entries(ENABLED_LINKS).map(([path, to]) => ({ path, to })),
    ...cloneCheckFiles().map(({ path, mode, text }) => ({ path, mode, bytes: text })),
    ...Object.entries(CLONE_CHECK_LINKS).map(([path, to]) => ({ path, to })),
    { path: 'usr/lib/headstart/release.json', mode: 0o644, bytes: `${JSON.stringify(RELEASE, null, 2)}\n` },
    { path: 'etc/cloud/cloud-init.disabled', mode: 0o644, bytes: '' },
    { path: BASE_PATH.slice(1), mode: 0o644, bytes: KUBELET_BASE },
    { path: 'usr/local/bin/kubelet', mode: 0o755, bytes: KUBELET },
    ...unit('kubelet.service', KUBELET_UNIT),
    ...unit('containerd.service', CONTAINERD_UNIT),
    ...unit('containerd.socket', CONTAINERD_SOCKET),
  ];
}

const RELEASE = {
  apiVersion: 'headstart.dev/v1',
  kind: 'ImageRelease',
  name: 'e2e',
  version: '1.0.0',
  kubernetesVersion: KUBERNETES_VERSION,
};

function unit(name: string, text: string): DiskFile[] {
  const path = `usr/lib/systemd/system/${name}`;
  return [
    { path, mode: 0o644, bytes: text },
    { path: `etc/systemd/system/multi-user.target.wants/${name}`, to: `/${path}` },
  ];
}

const KUBELET_BASE = `${JSON.stringify({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
})}\n`;

/** Refuses unknown flags, records its arguments, and then reports healthy. */
const KUBELET = `#!/bin/sh
set -eu
for word in "$@"; do
  case $word in
    --config=*|--config-dir=*|--hostname-override=*|--node-ip=*|--runtime-cgroups=*|--node-labels=*|--v=*) ;;
    --register-with-taints=*|--kubeconfig=*|--bootstrap-kubeconfig=*|--root-dir=*|--cloud-provider=*) ;;
    *) echo "unknown flag: $word" >&2; exit 1 ;;
  esac
done
mkdir -p ${KUBELET_SEEN}/www
printf '%s\\n' "$@" >${KUBELET_SEEN}/flags
cat /etc/kubernetes/kubelet/config.d/*.conf >${KUBELET_SEEN}/config
echo x >>${KUBELET_SEEN}/starts
echo ok >${KUBELET_SEEN}/www/healthz
exec busybox httpd -f -p 127.0.0.1:10248 -h ${KUBELET_SEEN}/www
`;

const KUBELET_UNIT = `[Unit]
Description=A stand-in for kubelet

[Service]
ExecStart=/usr/local/bin/kubelet

[Install]
WantedBy=multi-user.target
`;

const CONTAINERD_UNIT = `[Unit]
Description=A stand-in for containerd
Requires=containerd.socket

[Service]
ExecStart=/bin/sleep infinity

[Install]
WantedBy=multi-user.target
`;

const CONTAINERD_SOCKET = `[Unit]
Description=The socket of a stand-in for containerd

[Socket]
ListenStream=/run/containerd/containerd.sock
Backlog=64

[Install]
WantedBy=sockets.target
`;
