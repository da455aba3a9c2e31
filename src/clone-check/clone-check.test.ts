import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { cloneCheckFiles } from './image-files.ts';
import { parseCheckResult, parseItems } from './result.ts';
import {
  availableShells,
  CLONE_IDS,
  contents,
  DONOR_FILES,
  DONOR_ID,
  DONOR_MACHINE_ID,
  DONOR_NAME,
  fingerprints,
  has,
  kubeconfig,
  makeClone,
  makeRoot,
  makeStubs,
  pem,
  put,
  remove,
  run,
  SCRIPT,
  type Shell,
  SOURCE,
  seal,
  stub,
  text,
} from './testing.ts';

const HOME = '/var/lib/headstart/clone-check';
const stubs = makeStubs();
const { shells, busybox } = availableShells(stubs);
afterAll(() => remove(stubs));

const roots: string[] = [];
const kept = (root: string) => {
  roots.push(root);
  return root;
};
afterEach(() => remove(...roots.splice(0)));

const check = (shell: Shell, root: string) => run(shell, ['check', '--root', root]);
const failedItems = (stdout: string) =>
  parseItems(stdout)
    .filter(({ state }) => state === 'failed')
    .map(({ name }) => name);

describe.skipIf(busybox === undefined)('busybox', () => {
  it('has every tool that the script requires', () => {
    const tools = /^tools='(.+)'$/m.exec(readFileSync(SCRIPT, 'utf8'))![1]!.split(' ');
    const applets = spawnSync(busybox!, ['--list'], { encoding: 'utf8' }).stdout.split('\n');
    expect(applets).toEqual(expect.arrayContaining(tools));
  });
});

describe.each(shells)('seal, with $name', (shell) => {
  it('installs the check and changes nothing else', () => {
    const root = kept(makeRoot());
    const before = contents(root);
    expect(seal(shell, root)).toMatchObject({ code: 0, stderr: '' });
    const after = contents(root);
    for (const [path, was] of before) expect(after.get(path), path).toBe(was);
    expect([...after.keys()].filter((path) => !before.has(path) && after.get(path) !== 'folder').sort()).toEqual([
      '/etc/systemd/system/headstart-clone-check.service',
      '/etc/systemd/system/headstart-clone-finish.service',
      '/etc/systemd/system/kubelet.service.d/10-headstart-clone-check.conf',
      '/etc/systemd/system/sysinit.target.wants/headstart-clone-check.service',
      `${HOME}/headstart-clone-check`,
      `${HOME}/owner`,
    ]);
    expect(text(root, `${HOME}/owner`).split('\n')).toEqual([
      `vm-id=${DONOR_ID}`,
      `machine-id=${DONOR_MACHINE_ID}`,
      `name=${DONOR_NAME}`,
      '',
    ]);
  });

  it('writes nothing the second time', () => {
    const root = kept(makeRoot());
    seal(shell, root);
    const before = fingerprints(root);
    expect(seal(shell, root).code).toBe(0);
    expect(fingerprints(root)).toEqual(before);
  });

  it('causes no write in a boot of the donor', () => {
    const root = kept(makeRoot());
    seal(shell, root);
    const before = fingerprints(root);
    expect(check(shell, root)).toMatchObject({ code: 0, stdout: 'vm-id=ok\n', stderr: '' });
    expect(run(shell, ['finish', '--root', root]).code).toBe(0);
    expect(fingerprints(root)).toEqual(before);
  });

  it.each([
    ['in the byte order of a Gen1 machine', '44454C4C-4200-1057-8051-B8C04F4E3232'],
    ['in lower case', DONOR_ID],
    ['with blanks around it', `  ${DONOR_ID.toUpperCase()} `],
  ])('recognises the donor by its id %s', (_, shown) => {
    const root = kept(makeRoot({ ...DONOR_FILES, '/sys/class/dmi/id/product_uuid': `${shown}\n` }));
    expect(seal(shell, root).code).toBe(0);
    put(root, '/sys/class/dmi/id/product_uuid', `${DONOR_ID}\n`);
    const before = fingerprints(root);
    expect(check(shell, root).code).toBe(0);
    expect(fingerprints(root)).toEqual(before);
  });

  it.each<[string, string[], Record<string, string>]>([
    ['is another machine', ['vm-id'], { '/sys/class/dmi/id/product_uuid': CLONE_IDS[0] }],
    ['has no id', ['vm-id'], { '/sys/class/dmi/id/product_uuid': '00000000-0000-0000-0000-000000000000' }],
    ['shows text instead of an id', ['vm-id'], { '/sys/class/dmi/id/product_uuid': 'Not Settable' }],
  ])('refuses a machine that %s and installs nothing', (_, items, files) => {
    const root = kept(makeRoot({ ...DONOR_FILES, ...files }));
    const before = fingerprints(root);
    const ran = seal(shell, root);
    expect(ran.code).toBe(1);
    expect(failedItems(ran.stdout)).toEqual(items);
    expect(fingerprints(root)).toEqual(before);
  });

  it('refuses a machine without systemd, and a node without a kubelet.service', () => {
    const { '/usr/lib/systemd/systemd': _, '/usr/lib/systemd/system/kubelet.service': __, ...files } = DONOR_FILES;
    expect(failedItems(seal(shell, kept(makeRoot(files))).stdout)).toEqual(['systemd', 'kubelet']);
  });

  it('can be undone completely', () => {
    const root = kept(makeRoot());
    const before = contents(root);
    seal(shell, root);
    expect(run(shell, ['verify', '--root', root, '--from', SOURCE])).toMatchObject({ code: 0 });
    expect(run(shell, ['unseal', '--root', root])).toMatchObject({ code: 0 });
    const after = contents(root);
    after.delete('/etc/systemd');
    after.delete('/etc/systemd/system');
    expect(after).toEqual(before);
    expect(failedItems(run(shell, ['verify', '--root', root]).stdout)).toContain('drop-in');
  });

  it('detects a file that was changed afterwards', () => {
    const root = kept(makeRoot());
    seal(shell, root);
    put(root, '/etc/systemd/system/headstart-clone-check.service', '[Unit]\n');
    expect(failedItems(run(shell, ['verify', '--root', root, '--from', SOURCE]).stdout)).toEqual(['unit']);
  });
});

describe.each(shells)('the first boot of a clone, with $name', (shell) => {
  it('removes the identity of the donor and nothing else', () => {
    const root = kept(makeClone(shell));
    const before = contents(root);
    const ran = check(shell, root);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(failedItems(ran.stdout)).toEqual([]);
    const gone = [...before.keys()].filter((path) => !has(root, path) && before.get(path) !== 'folder').sort();
    expect(gone).toEqual([
      '/etc/cni/net.d/10-calico.conflist',
      '/etc/hostname',
      '/etc/kubernetes/certs/kubeletserver.crt',
      '/etc/kubernetes/certs/kubeletserver.key',
      '/etc/kubernetes/elsewhere.key',
      '/etc/kubernetes/kubelet.conf',
      '/etc/kubernetes/own.crt',
      '/etc/udev/rules.d/70-persistent-net.rules',
      '/var/lib/NetworkManager/internal-1-eth0.lease',
      '/var/lib/calico/nodename',
      '/var/lib/cloud/data/previous-hostname',
      '/var/lib/cloud/instance',
      '/var/lib/cloud/instances/one/user-data.txt',
      '/var/lib/cni/networks/azure/10.240.0.7',
      '/var/lib/containerd/io.containerd.grpc.v1.cri/containers/c1/status',
      '/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/s1/hostname',
      '/var/lib/dhcp/dhclient.eth0.leases',
      '/var/lib/kubelet/cpu_manager_state',
      '/var/lib/kubelet/memory_manager_state',
      '/var/lib/kubelet/pki/kubelet-client-2026-01-01-00-00-00.pem',
      '/var/lib/kubelet/pki/kubelet-client-current.pem',
      '/var/lib/kubelet/pki/kubelet.crt',
      '/var/lib/kubelet/pki/kubelet.key',
      '/var/lib/kubelet/plugins_registry/csi.sock',
      '/var/lib/kubelet/pods/8a/volumes/token',
      '/var/lib/systemd/random-seed',
      '/var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.6/status/0.status',
      '/var/lib/waagent/ovf-env.xml',
      '/var/lib/waagent/provisioned',
      '/var/log/journal/0123456789abcdef0123456789abcdef/system.journal',
      '/var/log/pods/kube-system_x/0.log',
      '/var/log/syslog.1',
    ]);
    const changed = [...before.keys()].filter(
      (path) => has(root, path) && contents(root).get(path) !== before.get(path),
    );
    expect(changed.sort()).toEqual([
      '/etc/hosts',
      '/etc/machine-id',
      '/etc/ssh/ssh_host_ed25519_key',
      '/etc/ssh/ssh_host_rsa_key',
      '/etc/ssh/ssh_host_rsa_key.pub',
      '/proc/sys/kernel/hostname',
      '/var/lib/headstart/clone-check/owner',
      '/var/log/azure/with space.log',
      '/var/log/syslog',
    ]);
    expect(text(root, '/etc/hosts')).toBe(`127.0.0.1 localhost\n10.0.0.9 ${DONOR_NAME}1\n# ${DONOR_NAME}\n`);
    expect(text(root, '/proc/sys/kernel/hostname')).toBe('localhost\n');
  });

  it('keeps what a clone needs to join: the shared certificate, the bootstrap token, and the images', () => {
    const root = kept(makeClone(shell));
    check(shell, root);
    for (const path of [
      '/etc/kubernetes/certs/ca.crt',
      '/etc/kubernetes/certs/client.crt',
      '/etc/kubernetes/certs/client.key',
      '/etc/kubernetes/certs/neighbour.crt',
      '/etc/kubernetes/shared.conf',
      '/etc/kubernetes/bootstrap-kubelet.conf',
      '/var/lib/kubelet/kubeconfig',
      '/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256/aa',
      '/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db',
      '/var/lib/waagent/WALinuxAgent-2.9.1.1/bin/agent.egg',
    ]) {
      expect(text(root, path), path).toBe(DONOR_FILES[path]);
    }
  });

  it('gives two clones different identities', () => {
    const clones = CLONE_IDS.map((id) => kept(makeClone(shell, id)));
    for (const clone of clones) expect(check(shell, clone).code).toBe(0);
    for (const path of [
      '/etc/machine-id',
      '/etc/ssh/ssh_host_rsa_key',
      '/etc/ssh/ssh_host_ed25519_key',
      `${HOME}/owner`,
    ]) {
      const seen = [DONOR_FILES[path], ...clones.map((clone) => text(clone, path))];
      expect(new Set(seen).size, path).toBe(3);
    }
    for (const clone of clones) expect(text(clone, '/etc/machine-id')).toMatch(/^[0-9a-f]{32}\n$/);
  });

  it('records the result of each item, and the next boot does nothing', () => {
    const root = kept(makeClone(shell));
    const ran = check(shell, root);
    expect(parseCheckResult(text(root, `${HOME}/result`))).toEqual({
      vmId: CLONE_IDS[0],
      items: parseItems(ran.stdout),
    });
    const before = fingerprints(root);
    expect(check(shell, root)).toMatchObject({ code: 0, stdout: 'vm-id=ok\n' });
    expect(fingerprints(root)).toEqual(before);
  });

  it('detects a copy of its own disk that has no new seal', () => {
    const root = kept(makeClone(shell));
    check(shell, root);
    put(root, '/proc/sys/kernel/hostname', 'k8s-pool1-12345678-vmss00000a\n');
    run(shell, ['finish', '--root', root]);
    const [machineId, key] = [text(root, '/etc/machine-id'), text(root, '/etc/ssh/ssh_host_rsa_key')];
    put(root, '/etc/hosts', '127.0.1.1 k8s-pool1-12345678-vmss00000a\n');
    put(root, '/sys/class/dmi/id/product_uuid', CLONE_IDS[1]);
    expect(check(shell, root).code).toBe(0);
    expect(text(root, '/etc/machine-id')).not.toBe(machineId);
    expect(text(root, '/etc/ssh/ssh_host_rsa_key')).not.toBe(key);
    expect(text(root, '/etc/hosts').trim()).toBe('');
  });

  it('keeps the host name that this machine got before the check ran', () => {
    const root = kept(makeClone(shell));
    put(root, '/proc/sys/kernel/hostname', 'clone.internal\n');
    expect(check(shell, root).code).toBe(0);
    expect(text(root, '/proc/sys/kernel/hostname')).toBe('clone.internal\n');
  });

  it('keeps the machine-id that systemd created for a scrubbed copy', () => {
    const root = kept(makeClone(shell));
    put(root, '/etc/machine-id', `${'e'.repeat(32)}\n`);
    expect(check(shell, root).stdout).toContain('machine-id=absent\n');
    expect(text(root, '/etc/machine-id')).toBe(`${'e'.repeat(32)}\n`);
  });

  it("replaces D-Bus's copy of the machine-id with a link", () => {
    const root = kept(makeClone(shell, CLONE_IDS[0], { ...DONOR_FILES, '/var/lib/dbus/machine-id': DONOR_MACHINE_ID }));
    check(shell, root);
    expect(readlinkSync(join(root, 'var/lib/dbus/machine-id'))).toBe('/etc/machine-id');
  });

  it('creates SSH host keys with the real ssh-keygen', (context) => {
    const real = spawnSync('sh', ['-c', 'command -v ssh-keygen'], { encoding: 'utf8' }).stdout.trim();
    if (real === '') return context.skip();
    const mine = makeStubs();
    unlinkSync(join(mine, 'ssh-keygen'));
    symlinkSync(real, join(mine, 'ssh-keygen'));
    const root = kept(makeClone(shell));
    check({ ...shell, path: `${mine}:${shell.path}` }, root);
    remove(mine);
    expect(text(root, '/etc/ssh/ssh_host_ed25519_key')).toContain('BEGIN OPENSSH PRIVATE KEY');
  });

  it('creates SSH host keys only of the types that the donor had', () => {
    const { '/etc/ssh/ssh_host_rsa_key': _, '/etc/ssh/ssh_host_rsa_key.pub': __, ...files } = DONOR_FILES;
    const root = kept(makeClone(shell, CLONE_IDS[0], files));
    expect(check(shell, root).code).toBe(0);
    expect(has(root, '/etc/ssh/ssh_host_ed25519_key')).toBe(true);
    expect(has(root, '/etc/ssh/ssh_host_rsa_key')).toBe(false);
  });

  it('remembers the key types after a scrub, or after a power loss that followed the removal of the keys', () => {
    const root = kept(makeClone(shell));
    put(root, `${HOME}/ssh-key-types`, 'ed25519\n');
    for (const key of ['ssh_host_rsa_key', 'ssh_host_rsa_key.pub', 'ssh_host_ed25519_key'])
      unlinkSync(join(root, 'etc/ssh', key));
    expect(check(shell, root).code).toBe(0);
    expect(has(root, '/etc/ssh/ssh_host_ed25519_key')).toBe(true);
    expect(has(root, '/etc/ssh/ssh_host_rsa_key')).toBe(false);
  });

  it('treats every node certificate as one of the donor if its name is unknown', () => {
    const root = kept(makeClone(shell));
    put(root, `${HOME}/owner`, `vm-id=${DONOR_ID}\n`);
    unlinkSync(join(root, 'etc/hostname'));
    expect(check(shell, root).code).toBe(0);
    expect(has(root, '/etc/kubernetes/certs/neighbour.crt')).toBe(false);
    expect(has(root, '/etc/kubernetes/certs/client.crt')).toBe(true);
  });

  it('finds a subject that needs more than one length byte', (context) => {
    const name = `${'n'.repeat(60)}.${'d'.repeat(60)}.internal`;
    const pemOut = spawnSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        '/dev/null',
      ].concat(['-subj', '/CN=placeholder']),
      { encoding: 'utf8' },
    );
    if (pemOut.status !== 0) return context.skip();
    // openssl enforces the standard's limit of 64 characters, Kubernetes does not: build the bytes here.
    const subject = Buffer.from(`system:node:${name}`);
    const der = Buffer.concat([Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03, 0x0c, 0x81, subject.length]), subject]);
    const root = kept(makeClone(shell));
    put(root, `${HOME}/owner`, `vm-id=${DONOR_ID}\nname=${name}\n`);
    put(
      root,
      '/var/lib/kubelet/pki/long.pem',
      `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
    );
    check(shell, root);
    expect(has(root, '/var/lib/kubelet/pki/long.pem')).toBe(false);
  });
});

describe.each(shells)('failing closed, with $name', (shell) => {
  const reasons = (root: string) => [text(root, '/dev/console'), text(root, '/dev/kmsg')];

  it.each([
    ['is empty', ''],
    ['is all zeros', '00000000-0000-0000-0000-000000000000\n'],
    ['is all ones', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\n'],
    ['is not an id', 'To be filled by O.E.M.\n'],
  ])('blocks kubelet and prints the reason on the console if the VM id %s', (_, shown) => {
    const root = kept(makeRoot());
    seal(shell, root);
    put(root, '/sys/class/dmi/id/product_uuid', shown);
    const before = contents(root);
    expect(check(shell, root).code).toBe(1);
    for (const reason of reasons(root)) expect(reason).toMatch(/cannot read a VM id.*kubelet will not start/);
    const after = contents(root);
    for (const [path, was] of before) if (!path.startsWith('/dev')) expect(after.get(path), path).toBe(was);
  });

  it('blocks kubelet if the owner of the disk is unknown', () => {
    const root = kept(makeClone(shell));
    unlinkSync(join(root, HOME, 'owner'));
    expect(check(shell, root).code).toBe(1);
    expect(reasons(root)[0]).toContain('does not name the owner of this disk');
  });

  it('blocks kubelet if a certificate cannot be read, and repeats everything at the next boot', () => {
    const root = kept(makeClone(shell));
    put(root, '/var/lib/kubelet/pki/broken.pem', '-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n');
    expect(check(shell, root).code).toBe(1);
    expect(reasons(root)[0]).toContain('kubelet-credentials');
    expect(failedItems(text(root, `${HOME}/result`))).toEqual(['kubelet-credentials']);
    expect(text(root, `${HOME}/owner`)).toContain(DONOR_ID);
    expect(run(shell, ['finish', '--root', root]).code).toBe(1);

    unlinkSync(join(root, 'var/lib/kubelet/pki/broken.pem'));
    expect(check(shell, root).code).toBe(0);
    expect(text(root, `${HOME}/owner`)).toContain(CLONE_IDS[0]);
  });

  it.each([
    ['awk', 'fails', 'exit 2', 'host-name'],
    ['awk', 'fails', 'exit 2', 'kubelet-credentials'],
    ['awk', 'prints nothing', 'exit 0', 'kubelet-credentials'],
    ['awk', 'stops half-way', 'echo other', 'kubelet-credentials'],
    ['rm', 'fails', 'exit 1', 'kubelet-credentials'],
    ['rm', 'fails', 'exit 1', 'host-name'],
    ['sha256sum', 'fails', 'exit 2', 'machine-id'],
    ['sha256sum', 'prints nothing', 'exit 0', 'machine-id'],
    ['mv', 'fails for the machine-id', 'case $* in *machine-id*) exit 1 ;; esac; exec /bin/mv "$@"', 'machine-id'],
  ])('blocks kubelet if %s %s', (tool, _, body, item) => {
    // The busybox shell uses its built-in tools, which cannot be replaced with failing ones.
    if (shell.name === 'busybox') return;
    const mine = makeStubs();
    stub(mine, tool, body);
    const root = kept(makeClone(shell));
    expect(check({ ...shell, path: `${mine}:${shell.path}` }, root).code).toBe(1);
    remove(mine);
    expect(failedItems(text(root, `${HOME}/result`))).toContain(item);
    expect(check(shell, root).code).toBe(0);
  });

  it('blocks kubelet if its settings cannot be read, and removes nothing', () => {
    const root = kept(makeClone(shell));
    symlinkSync('nowhere', join(root, 'etc/default/kubelet-more'));
    const before = contents(root);
    expect(check(shell, root).code).toBe(1);
    expect(reasons(root)[0]).toContain("kubelet's settings cannot be read");
    const after = contents(root);
    for (const [path, was] of before) if (!path.startsWith('/dev')) expect(after.get(path), path).toBe(was);
  });

  it('names what cannot be removed and removes the rest, one by one if there are too many paths for one call', () => {
    if (shell.name === 'busybox') return;
    const mine = makeStubs();
    const root = kept(makeClone(shell));
    stub(mine, 'rm', 'case $* in *memory_manager_state*) exit 1 ;; esac; [ $# -le 4 ] || exit 126; exec /bin/rm "$@"');
    expect(check({ ...shell, path: `${mine}:${shell.path}` }, root).code).toBe(0);
    remove(mine);
    expect(parseItems(text(root, `${HOME}/result`)).filter(({ state }) => state === 'failed')).toEqual([
      { name: 'kubelet-state', state: 'failed', reason: '/var/lib/kubelet/memory_manager_state cannot be removed' },
    ]);
    expect(has(root, '/var/lib/kubelet/cpu_manager_state')).toBe(false);
    expect(has(root, '/var/lib/waagent/provisioned')).toBe(false);
  });

  it('keeps a certificate while its key exists, so that the next boot can identify the key', () => {
    if (shell.name === 'busybox') return;
    const mine = makeStubs();
    const root = kept(makeClone(shell));
    stub(mine, 'rm', 'case $* in *elsewhere.key*) exit 1 ;; esac; exec /bin/rm "$@"');
    expect(check({ ...shell, path: `${mine}:${shell.path}` }, root).code).toBe(1);
    remove(mine);
    expect(has(root, '/etc/kubernetes/own.crt')).toBe(true);
    expect(check(shell, root).code).toBe(0);
    expect(has(root, '/etc/kubernetes/own.crt') || has(root, '/etc/kubernetes/elsewhere.key')).toBe(false);
  });

  it('treats file content as names, whatever characters it contains', () => {
    const root = kept(
      makeClone(shell, CLONE_IDS[0], {
        ...DONOR_FILES,
        '/etc/kubernetes/odd.conf': kubeconfig(
          'client-certificate: "/etc/kubernetes/own.crt"\nclient-key: "/etc/kubernetes/certs/*"',
        ),
        '/var/lib/kubelet/pki/[a].pem': pem('donor-client'),
        '/var/lib/kubelet/pki/a.pem': pem('shared'),
        '/var/lib/kubelet/pods/-rf ~ $(touch hacked)/token': '',
        '/var/lib/kubelet/pods/two\nlines/token': '',
        '/var/log/-rf *': 'lines',
        '/var/log/two\nlines.1': 'lines',
      }),
    );
    const ran = check(shell, root);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(failedItems(ran.stdout)).toEqual([]);
    expect(has(root, '/etc/kubernetes/certs/client.key')).toBe(true);
    expect(has(root, '/var/lib/kubelet/pki/[a].pem')).toBe(false);
    expect(has(root, '/var/lib/kubelet/pki/a.pem')).toBe(true);
    expect(contents(join(root, 'var/lib/kubelet/pods'))).toEqual(new Map([['/', 'folder']]));
    expect(text(root, '/var/log/-rf *')).toBe('');
    expect(has(root, '/var/log/two\nlines.1')).toBe(false);
  });

  it('blocks kubelet for a credential with a line break in its name', () => {
    const root = kept(makeClone(shell));
    put(root, '/var/lib/kubelet/pki/own\n.pem', pem('donor-client'));
    expect(check(shell, root).code).toBe(1);
    expect(reasons(root)[0]).toContain('has a line break in its name');
    expect(has(root, '/var/lib/kubelet/pki/own\n.pem')).toBe(true);
  });

  it('does not follow a link at the path of a temporary file', () => {
    const root = kept(makeClone(shell));
    put(root, '/precious', 'kept');
    for (const path of [`${HOME}/owner`, `${HOME}/result`, '/etc/machine-id', '/etc/hosts'])
      symlinkSync(join(root, 'precious'), join(root, `${path}.headstart-new`));
    put(root, `${HOME}/unfinished.headstart-new`, 'half');
    expect(check(shell, root)).toMatchObject({ code: 0, stderr: '' });
    expect(text(root, '/precious')).toBe('kept');
    const now = contents(root);
    expect([...now.keys()].filter((path) => path.endsWith('-new'))).toEqual([]);
    expect(now.get(`${HOME}/owner`)).toMatch(/^600 /);
    expect(now.get('/etc/machine-id')).toMatch(/^444 /);
    for (const path of [`${HOME}/result`, `${HOME}/unfinished`, '/etc/hosts']) expect(now.get(path)).toMatch(/^644 /);
  });

  it('lets kubelet start if a less important item failed, and records it in the result', () => {
    const mine = makeStubs();
    stub(mine, 'ssh-keygen', 'exit 1');
    const root = kept(makeClone(shell));
    expect(check({ ...shell, path: `${mine}:${shell.path}` }, root).code).toBe(0);
    remove(mine);
    expect(failedItems(text(root, `${HOME}/result`))).toEqual(['ssh-host-keys']);
    expect(text(root, `${HOME}/owner`)).toContain(CLONE_IDS[0]);
  });

  it.for([
    ['below a pod', '8a/volumes/data'],
    ['at a folder to remove', '8a'],
    ['below a folder with blanks in its name', '8 1/back\\slash'],
  ] as const)('does not remove anything in a mount %s', ([, place], context) => {
    const root = kept(makeClone(shell));
    const data = join(root, 'var/lib/kubelet/pods', place);
    mkdirSync(data, { recursive: true });
    put(root, '/elsewhere/precious', 'kept');
    const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
    const [program, ...before] = shell.argv;
    const ran = spawnSync(
      'unshare',
      [
        '-m',
        'sh',
        '-c',
        script,
        'sh',
        join(root, 'elsewhere'),
        data,
        program,
        ...before,
        SCRIPT,
        'check',
        '--root',
        root,
      ],
      { encoding: 'utf8', env: { PATH: `${shell.path}:/usr/bin:/bin` } },
    );
    // Not root, or the kernel does not allow it.
    if (!ran.stdout?.includes('kubelet-state=')) return context.skip();
    expect(failedItems(ran.stdout)).toEqual(['kubelet-state']);
    expect(text(root, '/elsewhere/precious')).toBe('kept');
  });
});

describe.each(shells)('finish, with $name', (shell) => {
  it('creates the serving certificate named in the settings of kubelet, for the current host name', (context) => {
    const root = kept(makeClone(shell));
    check(shell, root);
    put(root, '/proc/sys/kernel/hostname', 'K8S-pool1-12345678-vmss00000A\n');
    const ran = run(shell, ['finish', '--root', root]);
    if (spawnSync('openssl', ['version']).status !== 0) return context.skip();
    expect(ran).toMatchObject({ code: 0, stdout: 'serving-certificate=ok\ndead-containers=absent\n' });
    const made = spawnSync('openssl', [
      'x509',
      '-noout',
      '-subject',
      '-in',
      join(root, 'etc/kubernetes/certs/kubeletserver.crt'),
    ]);
    expect(String(made.stdout)).toContain('system:node:k8s-pool1-12345678-vmss00000a');
    expect(contents(root).get('/etc/kubernetes/certs/kubeletserver.key')).toMatch(/^600 /);
    expect(has(root, `${HOME}/unfinished`)).toBe(false);
    expect(parseItems(text(root, `${HOME}/result`)).map(({ name }) => name)).toContain('serving-certificate');
    expect(check(shell, root).stdout).toBe('vm-id=ok\n');
  });

  it('removes the containers of the donor with the tool of the runtime, and keeps its images', () => {
    const mine = makeStubs();
    stub(mine, 'ctr', `echo "$*" >>'${mine}/asked'; case $* in *' ls '*) printf 'c1\\nc2\\n' ;; esac`);
    const root = kept(makeClone(shell));
    check(shell, root);
    put(root, '/run/containerd/containerd.sock', '');
    const ran = run({ ...shell, path: `${mine}:${shell.path}` }, ['finish', '--root', root]);
    const asked = readFileSync(join(mine, 'asked'), 'utf8');
    remove(mine);
    expect(ran.stdout).toContain('dead-containers=ok\n');
    expect(asked.split('\n')).toEqual([
      '--namespace k8s.io containers ls -q',
      '--namespace k8s.io containers rm c1',
      '--namespace k8s.io containers rm c2',
      '',
    ]);
  });
});

describe.each(shells)('a disk that never ran a container, with $name', (shell) => {
  it('is taken over without listing containers; a copy of it is treated like any other disk', () => {
    const mine = makeStubs();
    stub(mine, 'ctr', `echo "$*" >>'${mine}/asked'`);
    const root = kept(makeClone(shell));
    put(root, `${HOME}/owner`, cloneCheckFiles().find(({ path }) => path.endsWith('/owner'))!.text);
    expect(check(shell, root).code).toBe(0);
    put(root, '/run/containerd/containerd.sock', '');
    put(root, '/proc/sys/kernel/hostname', 'node-1\n');
    const ran = run({ ...shell, path: `${mine}:${shell.path}` }, ['finish', '--root', root]);
    const isAsked = has(mine, '/asked');
    remove(mine);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('dead-containers=absent\n');
    expect(isAsked).toBe(false);
    expect(has(root, `${HOME}/unfinished`)).toBe(false);
    expect(text(root, `${HOME}/owner`)).toMatch(/^vm-id=.*\nmachine-id=.*\nname=node-1\n$/);

    put(root, '/sys/class/dmi/id/product_uuid', CLONE_IDS[1]);
    expect(check(shell, root).code).toBe(0);
    expect(text(root, `${HOME}/unfinished`)).toContain('dead-containers=yes\n');
  });
});

describe.each(shells)('scrub, with $name', (shell) => {
  it('removes the identity of the donor, creates no new one, and the first boot takes the disk over', () => {
    const root = kept(makeRoot());
    seal(shell, root);
    expect(run(shell, ['verify', '--scrubbed', '--root', root]).code).toBe(1);
    expect(run(shell, ['scrub', '--root', root])).toMatchObject({ code: 0, stderr: '' });
    expect(run(shell, ['verify', '--scrubbed', '--root', root])).toMatchObject({ code: 0 });
    expect(text(root, '/etc/machine-id')).toBe('');
    expect(has(root, '/etc/ssh/ssh_host_rsa_key')).toBe(false);
    expect(text(root, `${HOME}/owner`)).toContain(DONOR_ID);

    put(root, '/sys/class/dmi/id/product_uuid', CLONE_IDS[0]);
    expect(check(shell, root).code).toBe(0);
    expect(text(root, '/etc/machine-id')).toMatch(/^[0-9a-f]{32}\n$/);
    expect(has(root, '/etc/ssh/ssh_host_rsa_key')).toBe(true);
    expect(text(root, `${HOME}/unfinished`)).toContain('kubeletserver.crt');
  });

  it('removes the donor from the record, so that even the donor takes the disk over, and keeps shared files', () => {
    const root = kept(makeRoot());
    seal(shell, root);
    for (let time = 0; time < 2; time++) {
      for (const mode of [['scrub'], ['verify', '--scrubbed'], ['anonymize']]) {
        expect(run(shell, [...mode, '--root', root]), mode[0]).toMatchObject({ code: 0, stderr: '' });
      }
      expect(text(root, `${HOME}/owner`)).toBe('vm-id=none\n');
    }
    put(root, '/proc/sys/kernel/hostname', 'clone\n');
    expect(check(shell, root).code).toBe(0);
    expect(text(root, '/etc/machine-id')).toMatch(/^[0-9a-f]{32}\n$/);
    expect(has(root, '/etc/kubernetes/certs/neighbour.crt')).toBe(true);
    expect(text(root, '/proc/sys/kernel/hostname')).toBe('clone\n');
    expect(text(root, `${HOME}/owner`)).toContain(`vm-id=${DONOR_ID}\n`);
    expect(has(root, '/etc/ssh/ssh_host_ed25519_key')).toBe(true);
  });

  it('refuses a folder with a line break in its name', () => {
    const root = kept(makeRoot({ '/a\nb/etc/hostname': DONOR_NAME, '/a/kept': '' }));
    expect(run(shell, ['scrub', '--root', join(root, 'a\nb')]).code).toBe(2);
  });

  it('never changes the running machine', () => {
    for (const mode of ['scrub', 'anonymize']) {
      expect(run(shell, [mode]).code).toBe(2);
      expect(run(shell, [mode, '--root', '/']).code).toBe(2);
    }
  });

  it.each([
    ['no key', ''],
    ['a folder for a key', '--tls-private-key-file=/etc'],
    ['the root for a key', '--tls-private-key-file=/'],
  ])('removes only files as keys: %s', (_, flag) => {
    const root = kept(
      makeRoot({
        ...DONOR_FILES,
        '/etc/default/kubelet': `X=--tls-cert-file=/etc/kubernetes/own.crt ${flag}\n`,
        '/etc/kubernetes/by-path.conf': kubeconfig('client-certificate: /etc/kubernetes/own.crt\nclient-key: /'),
      }),
    );
    seal(shell, root);
    expect(run(shell, ['scrub', '--root', root])).toMatchObject({ code: 0, stderr: '' });
    expect(has(root, '/etc/kubernetes/own.crt')).toBe(false);
    expect(has(root, '/etc/os-release')).toBe(true);
  });

  it('refuses a copy that was never sealed', () => {
    const root = kept(makeRoot());
    const before = fingerprints(root);
    expect(run(shell, ['scrub', '--root', root]).code).toBe(1);
    expect(fingerprints(root)).toEqual(before);
  });
});

describe('the units', () => {
  const unit = (name: string) => readFileSync(join(SOURCE, name), 'utf8');
  const words = (text: string, key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.+)$`, 'gm'))].flatMap((line) => line[1]!.split(' '));

  it('run the check before everything that uses an identity', () => {
    const text = unit('headstart-clone-check.service');
    expect(words(text, 'DefaultDependencies')).toEqual(['no']);
    expect(words(text, 'After')).toContain('systemd-remount-fs.service');
    expect(words(text, 'Before')).toEqual(
      expect.arrayContaining(
        'systemd-networkd NetworkManager dbus cloud-init-local cloud-init-main ssh kubelet containerd systemd-journal-flush'
          .split(' ')
          .map((name) => `${name}.service`),
      ),
    );
  });

  it('block kubelet if the check fails, but not if the finish fails', () => {
    const text = unit('kubelet-drop-in.conf');
    expect(words(text, 'Requires')).toEqual(['headstart-clone-check.service']);
    expect(words(text, 'Wants')).toEqual(['headstart-clone-finish.service']);
    expect(words(text, 'After')).toEqual(['headstart-clone-check.service', 'headstart-clone-finish.service']);
  });

  it('do nothing if no disk was taken over', () => {
    expect(words(unit('headstart-clone-finish.service'), 'ConditionPathExists')).toEqual([`${HOME}/unfinished`]);
  });
});
