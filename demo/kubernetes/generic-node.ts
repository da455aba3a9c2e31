// demo/kubernetes/generic-node.ts: how does a generic image become a node on its first boot? cloud-init fetches, installs,
// configures and starts. The data has no secret and no machine name, so a clone becomes another node.

import { BRIDGE, BRIDGE_PATH, DNS_ADDRESS } from '../../src/local/node-document.ts';
import { CREDENTIAL_NAME } from '../../src/vms/qemu/pools/admission.ts';
import { SERVER_ADDRESS } from '../bootstrap.ts';
import { READY_UNIT } from './settings.ts';

export interface GenericNode {
  /** The cluster's CA (PEM), whose clients kubelet accepts. */
  ca: string;
  /** File names on the local server. */
  packages: readonly string[];
  kubelet: string;
  /** Archives of container images. */
  images: readonly string[];
  /** The name of the pause image. */
  pauseImage: string;
}

/** cloud-config. */
export function genericNode(node: GenericNode): string {
  const config = {
    locale: false,
    write_files: [
      { path: CA_PATH, permissions: '0644', content: `${node.ca.trim()}\n` },
      { path: CONFIG_PATH, permissions: '0644', content: `${JSON.stringify(KUBELET_CONFIG, null, 1)}\n` },
      { path: START_PATH, permissions: '0755', content: START },
      { path: `/etc/systemd/system/${READY_UNIT}`, permissions: '0644', content: UNIT },
      { path: '/etc/containerd/config.toml', permissions: '0644', content: containerdConfig(node.pauseImage) },
      { path: BRIDGE_PATH, permissions: '0644', content: BRIDGE },
      { path: '/etc/modules-load.d/kubernetes.conf', permissions: '0644', content: 'overlay\nbr_netfilter\n' },
      { path: '/etc/sysctl.d/90-kubernetes.conf', permissions: '0644', content: SYSCTLS },
      { path: `${WORK}/install`, permissions: '0755', content: installScript(node) },
    ],
    runcmd: [[`${WORK}/install`]],
  };
  // JSON is YAML, and JSON quoting keeps names and scripts from injecting YAML.
  return `#cloud-config\n${JSON.stringify(config, null, 1)}\n`;
}

const WORK = '/var/lib/node-bootstrap';
const CA_PATH = '/etc/kubernetes/ca.crt';
const CONFIG_PATH = '/etc/kubernetes/kubelet.yaml';
const START_PATH = '/usr/local/bin/start-kubelet';

const KUBELET_CONFIG = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: CA_PATH },
  },
  authorization: { mode: 'Webhook' },
  cgroupDriver: 'systemd', // as in containerd's configuration
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  rotateCertificates: true,
  clusterDomain: 'cluster.local',
  clusterDNS: [DNS_ADDRESS],
  resolvConf: '/run/systemd/resolve/resolv.conf',
};

/** Computed at each start, so that the disk has no name of the machine: the pool's name is the host name without the number. */
const START = `#!/bin/sh
set -eu
name=$(cat /proc/sys/kernel/hostname)
address=$(ip -4 -oneline route get ${SERVER_ADDRESS} | sed -n 's/.* src \\([0-9.]*\\).*/\\1/p')
[ -n "$address" ]
exec kubelet "$@" --node-ip="$address" --provider-id="qemu:///\${name%-*}/$name"
`;

/** Once the network is up, cloud-init has set the final host name. */
const UNIT = `[Unit]
Description=kubelet: the node's part of Kubernetes
Wants=network-online.target containerd.service
After=network-online.target containerd.service
StartLimitIntervalSec=0

[Service]
LoadCredential=${CREDENTIAL_NAME}
ExecStart=${START_PATH} --config=${CONFIG_PATH} --kubeconfig=/var/lib/kubelet/kubeconfig --bootstrap-kubeconfig=\${CREDENTIALS_DIRECTORY}/${CREDENTIAL_NAME} --v=2
# Not by the name of the script that finds out its flags.
SyslogIdentifier=kubelet
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/** Debian installs the plugins in another folder. */
function containerdConfig(pauseImage: string): string {
  return `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${JSON.stringify(pauseImage)}
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
`;
}

const SYSCTLS = `net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
vm.overcommit_memory = 1
kernel.panic = 10
kernel.panic_on_oops = 1
`;

/** Settings come first: the package starts containerd, which then has the right configuration. */
function installScript({ packages, kubelet, images }: GenericNode): string {
  const urls = [...packages, kubelet, ...images].map((name) => `http://${SERVER_ADDRESS}/${encodeURIComponent(name)}`);
  return `#!/bin/sh
set -eu
systemctl restart systemd-modules-load
sysctl --quiet --system
mkdir -p ${WORK}/files
cd ${WORK}/files
curl --fail --silent --show-error --remote-name-all \\
${urls.map((url) => `  ${shellWord(url)}`).join(' \\\n')}
install -m 0755 ${shellWord(kubelet)} /usr/local/bin/kubelet
# containerd's configuration is there already, and stays.
dpkg --force-confold --install ./*.deb
${images.map((name) => `ctr --namespace k8s.io images import ${shellWord(name)}`).join('\n')}
cd /
rm -rf ${WORK}/files
systemctl daemon-reload
systemctl enable --now ${READY_UNIT}
`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
