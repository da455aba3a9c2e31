// clone-check/testing.ts: a donor's root file system in a folder, and the shells that run the scripts.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DONOR_ID = '4c4c4544-0042-5710-8051-b8c04f4e3232';
export const DONOR_NAME = 'k8s-pool1-12345678-vmss000003';
export const DONOR_MACHINE_ID = '0123456789abcdef0123456789abcdef';
export const CLONE_IDS = ['aaaaaaaa-1111-4222-8333-0123456789ab', 'bbbbbbbb-1111-4222-8333-0123456789ab'] as const;
export const SOURCE = fileURLToPath(new URL('.', import.meta.url));
export const SCRIPT = join(SOURCE, 'headstart-clone-check');

export interface Shell {
  name: string;
  argv: [string, ...string[]];
  path: string;
}

/** dash (`sh` on Debian and Ubuntu) is required. busybox is used if installed; a warning is printed otherwise. */
export function availableShells(stubs: string): { shells: Shell[]; busybox: string | undefined } {
  const busybox = onPath('busybox', process.env.HEADSTART_BUSYBOX);
  const dash = onPath('dash');
  const ordinary = [stubs, '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter);
  const shells: Shell[] = [{ name: 'dash', argv: [dash ?? '/bin/sh'], path: ordinary }];
  if (busybox === undefined) {
    process.stderr.write('\n*** busybox is not installed: the scripts were NOT run with its shell and tools ***\n\n');
    return { shells, busybox };
  }
  const applets = join(stubs, 'busybox');
  mkdirSync(applets);
  for (const name of spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)) {
    symlinkSync(busybox, join(applets, name));
  }
  return {
    shells: [...shells, { name: 'busybox', argv: [busybox, 'sh'], path: [stubs, applets].join(delimiter) }],
    busybox,
  };
}

/**
 * A folder of programs that replace the real ones: `sync` would wait for all disks of the machine, and `ssh-keygen` takes
 * long.
 */
export function makeStubs(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-stubs-'));
  stub(folder, 'sync', 'exit 0');
  stub(
    folder,
    'ssh-keygen',
    `case $1 in
       -A) types='rsa ed25519' folder=$3etc/ssh ;;
       *) types=$3 folder=\${7%/*} ;;
     esac
     for type in $types; do
       key="$folder/ssh_host_\${type}_key"
       [ -e "$key" ] || { read -r made </proc/sys/kernel/random/uuid; echo "$made" >"$key"; echo public >"$key.pub"; }
     done`,
  );
  return folder;
}

export function stub(folder: string, name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Replaces every program with one that logs its name and executes the real program. */
export function watchStarts(shell: Shell): { shell: Shell; started: () => string[]; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-starts-'));
  const log = join(folder, 'started');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(log, '');
  const folders = shell.path.split(delimiter);
  const each = folders.map((path) => `'${path}'`).join(' ');
  stub(
    folder,
    'watch',
    `name=\${0##*/}
     echo "$name" >>'${log}'
     for folder in ${each}; do [ ! -x "$folder/$name" ] || exec "$folder/$name" "$@"; done`,
  );
  const names = new Set(folders.flatMap((path) => readdirSync(path)));
  for (const name of names) symlinkSync(join(folder, 'watch'), join(bin, name));
  return {
    shell: { ...shell, path: [bin, shell.path].join(delimiter) },
    started: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    folder,
  };
}

export interface ScriptRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export function run(shell: Shell, args: readonly string[], script = SCRIPT, env: NodeJS.ProcessEnv = {}): ScriptRun {
  const [program, ...before] = shell.argv;
  return spawned(program, [...before, script, ...args], shell, { env });
}

export function seal(shell: Shell, root: string, donorId = DONOR_ID): ScriptRun {
  return run(shell, ['seal', '--root', root, '--from', SOURCE, '--donor-id', donorId, '--node-name', DONOR_NAME]);
}

/** The disk of a sealed donor in another machine. */
export function makeClone(shell: Shell, vmId: string = CLONE_IDS[0], files = DONOR_FILES): string {
  const root = makeRoot(files);
  seal(shell, root);
  put(root, '/sys/class/dmi/id/product_uuid', `${vmId}\n`);
  return root;
}

/** Like a channel: passes the text on standard input of a shell. */
export function pipe(shell: Shell, text: string): ScriptRun {
  const [program, ...before] = shell.argv;
  return spawned(program, [...before, '-s'], shell, { input: text });
}

function spawned(
  program: string,
  args: string[],
  shell: Shell,
  { env = {}, input }: { env?: NodeJS.ProcessEnv; input?: string },
): ScriptRun {
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: shell.path, ...env },
    timeout: 60_000,
    ...(input !== undefined && { input }),
  });
  return { code: status, signal, stdout, stderr };
}

export function pem(name: string): string {
  return readFileSync(join(SOURCE, 'fixtures', `${name}.pem`), 'utf8');
}

const KEY = '-----BEGIN EC PRIVATE KEY-----\nnot a key\n-----END EC PRIVATE KEY-----\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');

export const kubeconfig = (user: string) => `apiVersion: v1
kind: Config
clusters:
- name: pool
  cluster: {server: "https://10.255.255.5:443", certificate-authority: /etc/kubernetes/certs/ca.crt}
users:
- name: client
  user:
${user.replace(/^/gm, '    ')}
contexts:
- {name: pool, context: {cluster: pool, user: client}}
current-context: pool
`;

/** The files of a node in an AKS Engine pool with TLS bootstrap that matter to the scripts. */
export const DONOR_FILES: Readonly<Record<string, string>> = {
  '/sys/class/dmi/id/product_uuid': `${DONOR_ID.toUpperCase()}\n`,
  '/proc/sys/kernel/hostname': `${DONOR_NAME}\n`,
  '/dev/console': '',
  '/dev/kmsg': '',
  '/usr/lib/systemd/systemd': '',
  '/usr/lib/systemd/system/kubelet.service': '[Service]\nExecStart=/usr/local/bin/kubelet $KUBELET_FLAGS\n',
  '/etc/os-release': 'ID=ubuntu\nVERSION_ID="22.04"\nPRETTY_NAME="Ubuntu 22.04.5 LTS"\n',
  '/etc/machine-id': `${DONOR_MACHINE_ID}\n`,
  '/etc/hostname': `${DONOR_NAME}\n`,
  '/etc/hosts': `127.0.0.1 localhost ${DONOR_NAME}\n127.0.1.1 ${DONOR_NAME}.internal ${DONOR_NAME}\n10.0.0.9 ${DONOR_NAME}1\n# ${DONOR_NAME}\n`,
  '/etc/default/kubelet':
    'KUBELET_FLAGS=--kubeconfig=/var/lib/kubelet/kubeconfig --tls-cert-file=/etc/kubernetes/certs/kubeletserver.crt --tls-private-key-file=/etc/kubernetes/certs/kubeletserver.key\n',
  '/etc/kubernetes/certs/ca.crt': pem('authority'),
  '/etc/kubernetes/certs/client.crt': pem('shared'),
  '/etc/kubernetes/certs/client.key': KEY,
  '/etc/kubernetes/certs/neighbour.crt': pem('neighbour'),
  '/etc/kubernetes/certs/kubeletserver.crt': pem('donor-client'),
  '/etc/kubernetes/certs/kubeletserver.key': KEY,
  '/etc/kubernetes/own.crt': pem('authority') + pem('donor-client'),
  '/etc/kubernetes/elsewhere.key': KEY,
  '/etc/kubernetes/kubelet.conf': kubeconfig(
    `client-certificate-data: ${base64(pem('donor-client'))}\nclient-key-data: ${base64(KEY)}`,
  ),
  '/etc/kubernetes/by-path.conf': kubeconfig(
    'client-certificate: /etc/kubernetes/own.crt\nclient-key: "/etc/kubernetes/elsewhere.key"',
  ),
  '/etc/kubernetes/shared.conf': kubeconfig(
    `client-certificate-data: ${base64(pem('shared'))}\nclient-key-data: ${base64(KEY)}`,
  ),
  '/etc/kubernetes/bootstrap-kubelet.conf': kubeconfig('token: abcdef.0123456789abcdef'),
  '/var/lib/kubelet/kubeconfig': kubeconfig(
    'client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem\nclient-key: /var/lib/kubelet/pki/kubelet-client-current.pem',
  ),
  '/var/lib/kubelet/pki/kubelet-client-2026-01-01-00-00-00.pem': pem('donor-client') + KEY,
  '/var/lib/kubelet/pki/kubelet.crt': pem('donor-serving'),
  '/var/lib/kubelet/pki/kubelet.key': KEY,
  '/var/lib/kubelet/config.yaml': 'kind: KubeletConfiguration\n',
  '/var/lib/kubelet/cpu_manager_state': '{}',
  '/var/lib/kubelet/memory_manager_state': '{}',
  '/var/lib/kubelet/pods/8a/volumes/token': 'a token',
  '/var/lib/kubelet/plugins_registry/csi.sock': '',
  '/var/lib/cni/networks/azure/10.240.0.7': 'container',
  '/var/lib/calico/nodename': DONOR_NAME,
  '/etc/cni/net.d/10-azure.conflist': '{"name": "azure"}',
  '/etc/cni/net.d/10-calico.conflist': `{"nodename": "${DONOR_NAME}"}`,
  '/var/lib/containerd/io.containerd.grpc.v1.cri/containers/c1/status': '{}',
  '/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/s1/hostname': DONOR_NAME,
  '/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256/aa': 'an image layer',
  '/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db': 'records',
  '/var/lib/dhcp/dhclient.eth0.leases': 'lease',
  '/var/lib/NetworkManager/internal-1-eth0.lease': 'lease',
  '/var/lib/NetworkManager/NetworkManager.state': 'kept',
  '/var/lib/cloud/instances/one/user-data.txt': '#cloud-config\n# the pool: its secret\n',
  '/var/lib/cloud/data/previous-hostname': DONOR_NAME,
  '/var/lib/cloud/seed/nocloud/meta-data': 'kept',
  '/var/lib/waagent/provisioned': DONOR_ID,
  '/var/lib/waagent/ovf-env.xml': '<Environment/>',
  '/var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.6/status/0.status': '[]',
  '/var/lib/waagent/WALinuxAgent-2.9.1.1/bin/agent.egg': 'kept',
  '/var/lib/systemd/random-seed': 'seed',
  '/etc/udev/rules.d/70-persistent-net.rules': 'rule',
  '/etc/ssh/sshd_config': 'kept',
  '/etc/ssh/ssh_host_rsa_key': "the donor's key",
  '/etc/ssh/ssh_host_rsa_key.pub': "the donor's key",
  '/etc/ssh/ssh_host_ed25519_key': "the donor's key",
  '/var/log/syslog': 'lines',
  '/var/log/syslog.1': 'lines',
  '/var/log/azure/with space.log': 'lines',
  '/var/log/journal/0123456789abcdef0123456789abcdef/system.journal': 'entries',
  '/var/log/pods/kube-system_x/0.log': 'lines',
  '/home/azureuser/.profile': 'kept',
};

/** A VM that is not a node yet, as created from the base images of local pools. */
export const PLAIN_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      '/sys/class/dmi/id/product_uuid',
      '/proc/sys/kernel/hostname',
      '/dev/console',
      '/dev/kmsg',
      '/usr/lib/systemd/systemd',
      '/etc/os-release',
      '/etc/machine-id',
      '/etc/hostname',
      '/etc/hosts',
      '/etc/ssh/sshd_config',
      '/etc/ssh/ssh_host_rsa_key',
      '/etc/ssh/ssh_host_rsa_key.pub',
      '/etc/ssh/ssh_host_ed25519_key',
      '/var/lib/systemd/random-seed',
      '/var/lib/dhcp/dhclient.eth0.leases',
      '/var/lib/cloud/instances/one/user-data.txt',
      '/var/log/syslog',
      '/var/log/syslog.1',
      '/var/log/journal/0123456789abcdef0123456789abcdef/system.journal',
    ].map((path) => [path, DONOR_FILES[path]!]),
  ),
  '/var/lib/dbus/machine-id': DONOR_MACHINE_ID,
};

export function makeRoot(files: Readonly<Record<string, string>> = DONOR_FILES): string {
  const root = mkdtempSync(join(tmpdir(), 'headstart root-'));
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  if (files['/usr/lib/systemd/systemd'] !== undefined) chmodSync(join(root, '/usr/lib/systemd/systemd'), 0o755);
  if (files['/var/lib/cloud/instances/one/user-data.txt'] !== undefined) {
    symlinkSync('/var/lib/cloud/instances/one', join(root, 'var/lib/cloud/instance'));
  }
  if (files['/var/lib/kubelet/pki/kubelet-client-2026-01-01-00-00-00.pem'] !== undefined) {
    symlinkSync('kubelet-client-2026-01-01-00-00-00.pem', join(root, 'var/lib/kubelet/pki/kubelet-client-current.pem'));
  }
  return root;
}

export function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

export function has(root: string, path: string): boolean {
  return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

export function text(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Every path with its kind, mode and content. */
export function contents(root: string): Map<string, string> {
  return listed(root, (path) => {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    return stat.isDirectory() ? 'folder' : `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`;
  });
}

/** Every path with metadata that any write changes: inode, times. */
export function fingerprints(root: string): Map<string, string> {
  return listed(root, (path) => {
    const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    return [ino, size, mode, mtimeNs, ctimeNs].join(' ');
  });
}

function listed(root: string, describe: (path: string) => string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(['', ...paths].map((path) => [`/${path}`, describe(join(root, path))]));
}

export function remove(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function onPath(name: string, given?: string): string | undefined {
  if (given) return given;
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
