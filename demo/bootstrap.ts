// demo/bootstrap.ts: what does a generic node do on its first boot? Fetch, install, configure, start.

/** The local server's address in the guests' network. */
export const SERVER_ADDRESS = '168.0.0.100';
export const READY_UNIT = 'node-agent.service';

/** cloud-config that fetches these packages from the local server, installs them and starts the node's agent. */
export function bootstrapConfig(packages: readonly string[]): string {
  const config = {
    locale: false,
    write_files: [
      { path: '/usr/local/bin/node-agent', permissions: '0755', content: AGENT },
      { path: `/etc/systemd/system/${READY_UNIT}`, permissions: '0644', content: UNIT },
      { path: '/etc/sysctl.d/90-node.conf', content: 'net.ipv4.ip_forward = 1\nvm.overcommit_memory = 1\n' },
      { path: '/etc/modules-load.d/node.conf', content: 'overlay\nbr_netfilter\n' },
      { path: '/var/lib/node-bootstrap/install', permissions: '0755', content: installScript(packages) },
    ],
    runcmd: [['/var/lib/node-bootstrap/install']],
  };
  // JSON is YAML, and JSON quoting keeps names and scripts from injecting YAML.
  return `#cloud-config\n${JSON.stringify(config, null, 1)}\n`;
}

const AGENT = `#!/bin/sh
# Stands for what a node has to run: it needs the container runtime and a configured kernel.
set -eu
ctr version >/dev/null
[ "$(cat /proc/sys/net/ipv4/ip_forward)" = 1 ]
echo "node agent of $(cat /proc/sys/kernel/hostname) is ready"
systemd-notify --ready
exec sleep infinity
`;

const UNIT = `[Unit]
Description=The node's agent
Requires=containerd.service
After=containerd.service network-online.target
Wants=network-online.target

[Service]
Type=notify
NotifyAccess=all
ExecStart=/usr/local/bin/node-agent
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

function installScript(packages: readonly string[]): string {
  const urls = packages.map((name) => `  "http://${SERVER_ADDRESS}/${encodeURIComponent(name)}"`);
  return `#!/bin/sh
set -eu
cd /var/lib/node-bootstrap
curl --fail --silent --show-error --remote-name-all \\
${urls.join(' \\\n')}
dpkg --install ./*.deb
rm -f ./*.deb
systemctl restart systemd-modules-load
sysctl --quiet --system
systemctl daemon-reload
systemctl enable --now ${READY_UNIT}
`;
}
