import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makeSealer } from '../../../../sims/azure/compute/extension-settings.ts';
import {
  availableShells,
  DONOR_FILES,
  DONOR_ID,
  DONOR_NAME,
  fingerprints,
  kubeconfig,
  makeRoot,
  makeStubs,
  pem,
  pipe,
  remove,
  type Shell,
  stub,
} from '../../../clone-check/testing.ts';
import { inspectScript } from './inspect-script.ts';
import { type Inspection, parseInspection } from './inspection.ts';
import { type JoinMethod, joinMethod } from './join-method.ts';
import { describeReference, staticReferences } from './static-references.ts';

const stubs = makeStubs();
const { shells } = availableShells(stubs);
afterAll(() => remove(stubs));
const roots: string[] = [];
afterEach(() => remove(...roots.splice(0)));

const CANARY = 'canary-7f3a';
const NOW_MS = Date.UTC(2026, 10, 15);

const FILES: Readonly<Record<string, string>> = {
  ...DONOR_FILES,
  '/proc/1/net/fib_trie':
    'Local:\n  +-- 10.240.0.0/16\n     |-- 10.240.0.4\n        /32 host LOCAL\n     |-- 10.240.255.255\n        /32 link BROADCAST\n     |-- 127.0.0.1\n        /32 host LOCAL\n',
  '/proc/1/net/if_inet6':
    '20010db8000000000000000000000005 02 40 00 80     eth0\nfe800000000000000000000000000001 02 40 20 80     eth0\n',
  '/etc/cloud/cloud.cfg': '# defaults\n',
};

function inspectRoot(shell: Shell, files: Record<string, string> = {}, wantsCustomData = false): Inspection {
  const root = makeRoot({ ...FILES, ...files });
  roots.push(root);
  const before = fingerprints(root);
  const ran = pipe(shell, inspectScript({ nodeName: DONOR_NAME, root, wantsCustomData }));
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).not.toContain('0123456789abcdef\n');
  if (!wantsCustomData) expect(ran.stdout).not.toContain(CANARY);
  expect(fingerprints(root)).toEqual(before);
  return parseInspection(ran.stdout);
}

describe.each(shells)('inspecting a donor, with $name', (shell) => {
  it('reports the facts of the machine and changes nothing on it', () => {
    const seen = inspectRoot(shell, {
      '/run/reboot-required': '',
      '/run/reboot-required.pkgs': 'linux-base\nlibc6\nlinux-base\n',
    });
    expect(seen).toMatchObject({
      isComplete: true,
      os: { id: 'ubuntu', version: '22.04', name: 'Ubuntu 22.04.5 LTS' },
      vmId: DONOR_ID,
      hostname: DONOR_NAME,
      cloudInit: 'enabled',
      rebootRequired: { file: '/run/reboot-required', packages: ['libc6', 'linux-base'] },
      addresses: ['10.240.0.4', '127.0.0.1', '2001:0db8:0000:0000:0000:0000:0000:0005'],
    });
    expect(seen.kernel).toBe(execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim());
    expect(seen.disks[0]).toMatchObject({ folder: '/' });
    expect(seen.disks[0]!.totalKb).toBeGreaterThan(0);
    expect(seen.customData).toBeUndefined();
    expect(inspectRoot(shell).rebootRequired).toBeUndefined();
  });

  describe('patches', () => {
    const kernels = {
      '/boot/vmlinuz-6.8.0-1015-azure': '',
      '/boot/vmlinuz-0-rescue-0123': '',
      '/lib/modules/6.8.0-1017-azure/vmlinuz': '',
      '/lib/modules/6.8.0-1018-azure/modules.dep': '', // left over
      '/proc/stat': 'cpu 1 2\nbtime 1763000000\n',
    };
    const apt = {
      ...kernels,
      '/var/lib/dpkg/status': 'Package: a\n',
      '/var/lib/apt/lists/archive_Packages': 'Package: a\n',
    };
    const rpm = { ...kernels, '/var/lib/rpm/rpmdb.sqlite': '' };
    const installTimes = { rpm: 'printf "1762000000\\n1762999999\\n1761000000\\n"' };
    /** The shell with these programs, which must not be asked for the network or for a change. */
    const withPrograms = (programs: Readonly<Record<string, string>>): Shell => {
      const folder = mkdtempSync(join(tmpdir(), 'headstart-programs-'));
      roots.push(folder);
      for (const [name, body] of Object.entries(programs)) stub(folder, name, body);
      return { ...shell, path: `${folder}:${shell.path}` };
    };
    const INST = 'Inst libc6 [1] (2 Ubuntu:24.04/noble-updates, Ubuntu:24.04/noble-security [amd64])';

    it('reports kernels that can start, and when machine and packages started and changed', () => {
      const { patches } = inspectRoot(withPrograms({ 'apt-get': 'exit 0' }), apt);
      expect(patches).toMatchObject({
        kernels: ['6.8.0-1015-azure', '6.8.0-1017-azure'],
        bootedMs: 1_763_000_000_000,
        updates: { manager: 'apt', isKnown: true, count: 0, security: 0 },
      });
      for (const ms of [patches.nowMs, patches.changedMs]) expect(Math.abs(ms! - Date.now())).toBeLessThan(600_000);
    });

    it.each<[string, Record<string, string>, Record<string, string>, object]>([
      [
        'apt: counts updates and those for security',
        apt,
        { 'apt-get': `echo '${INST}'; echo 'Inst b [1] (2 Ubuntu:24.04/noble-updates [all])'; echo 'Conf libc6'` },
        { manager: 'apt', isKnown: true, count: 2, security: 1 },
      ],
      ['apt: fails', apt, { 'apt-get': 'exit 100' }, { manager: 'apt', isKnown: false, because: 'apt-get failed' }],
      [
        'apt: no lists',
        { ...kernels, '/var/lib/dpkg/status': '' },
        { 'apt-get': 'exit 0' },
        { manager: 'apt', isKnown: false, because: 'there are no package lists' },
      ],
      [
        'dnf: counts updates',
        { ...rpm, '/var/cache/dnf/baseos-1/repodata/repomd.xml': '' },
        {
          ...installTimes,
          tdnf: '',
          dnf: 'printf "\\nkernel.x86_64   5.14   baseos\\nopenssl.x86_64  3.0  baseos\\nObsoleting Packages\\na.noarch 1 b\\n"; exit 100',
        },
        { manager: 'dnf', isKnown: true, count: 2 },
      ],
      [
        'tdnf: none pending',
        { ...rpm, '/var/cache/tdnf/base/repodata/repomd.xml': '' },
        { ...installTimes, tdnf: 'exit 0' },
        { manager: 'tdnf', isKnown: true, count: 0 },
      ],
      [
        'tdnf: no lists, and it would report none',
        rpm,
        { ...installTimes, tdnf: 'exit 0' },
        { manager: 'tdnf', isKnown: false, because: 'there are no package lists' },
      ],
      [
        'zypper: counts updates',
        { ...rpm, '/var/cache/zypp/raw/pool/repodata/repomd.xml': '' },
        { ...installTimes, zypper: 'printf "S | Repository\\n--+--\\nv | Updates | a\\nv | Updates | b\\n"' },
        { manager: 'zypper', isKnown: true, count: 2 },
      ],
      ['no known package manager', kernels, {}, { manager: 'none', isKnown: false }],
    ])('%s', (_, files, { tdnf, ...programs }, updates) => {
      const { patches } = inspectRoot(withPrograms({ ...programs, ...(tdnf && { tdnf }) }), files);
      expect(patches.updates).toMatchObject(updates);
      if ('rpm' in programs) expect(patches.changedMs).toBe(1_762_999_999_000);
    });

    it('asks package managers to neither use the network nor change anything', () => {
      const log = 'printf "%s\\n" "$*" >&3';
      const programs = { 'apt-get': log, dnf: log, tdnf: log, zypper: log, rpm: log };
      const asked = (names: (keyof typeof programs)[], files: Record<string, string>) => {
        const root = makeRoot({ ...FILES, ...files });
        roots.push(root);
        const seen = join(root, '..', `${root.split('/').at(-1)}-asked`);
        roots.push(seen);
        const chosen = withPrograms(Object.fromEntries(names.map((name) => [name, programs[name]])));
        pipe(chosen, `exec 3>'${seen}'\n${inspectScript({ nodeName: DONOR_NAME, root })}`);
        return readFileSync(seen, 'utf8');
      };
      expect(asked(['apt-get'], apt)).toMatch(/^-s .*Dir::Cache::pkgcache= .*upgrade$/m);
      const cached = (name: string) => ({ ...rpm, [`/var/cache/${name}/x/repodata/repomd.xml`]: '' });
      expect(asked(['rpm', 'tdnf'], cached('tdnf'))).toMatch(/^-C -q .*check-update$/m);
      expect(asked(['rpm', 'dnf'], cached('dnf'))).toMatch(/^-C -q .*--setopt=logdir=.* check-update$/m);
      expect(asked(['rpm', 'zypper'], { ...rpm, '/var/cache/zypp/raw/x/repodata/repomd.xml': '' })).toMatch(
        /--no-refresh --non-interactive --quiet list-updates$/m,
      );
    });
  });

  it('finds no static reference on a node that derives its name and addresses', () => {
    const seen = inspectRoot(shell, {
      '/etc/default/kubelet': 'KUBELET_FLAGS="--cluster-dns=10.0.0.10 --address=0.0.0.0"\n# --node-ip=10.240.0.4\n',
      '/etc/systemd/system/proxy.service': '[Service]\nEnvironment=NO_PROXY=169.254.169.254,127.0.0.1\n',
      '/etc/netplan/50-cloud-init.yaml':
        'network:\n  ethernets:\n    eth0:\n      dhcp4: true\n      nameservers:\n        addresses: [168.63.129.16]\n      match:\n        macaddress: 00:0d:3a:aa:bb:cc\n',
      '/etc/dhcp/dhclient.conf': 'send host-name = gethostname();\n',
    });
    expect(staticReferences(seen)).toEqual([]);
  });

  it('names file and line of every static name and address', () => {
    const seen = inspectRoot(shell, {
      '/etc/default/kubelet': `# flags\nKUBELET_FLAGS="--node-ip=10.240.0.4 --hostname-override ${DONOR_NAME.toUpperCase()}"\n`,
      '/var/lib/kubelet/config.yaml': 'kind: KubeletConfiguration\naddress: 10.240.0.4\nclusterDNS:\n- 10.0.0.10\n',
      '/etc/systemd/system/agent.service.d/name.conf': `[Service]\nEnvironment=PASSWORD=${CANARY} NODE=${DONOR_NAME}.internal OTHER=${DONOR_NAME}9\n`,
      '/etc/netplan/01-static.yaml':
        'network:\n  ethernets:\n    eth0:\n      addresses:\n        - 10.9.9.9/24\n        - "2001:db8::5/64"\n',
      '/etc/network/interfaces': 'iface eth0 inet static\n  address 10.7.7.7\n  gateway 10.7.7.1\n',
      '/etc/systemd/network/10-eth.network': '[Match]\nMACAddress=00:0d:3a:aa:bb:cc\n',
    });
    expect(staticReferences(seen).map(describeReference).sort()).toEqual([
      '/etc/default/kubelet:2: hostname-override is k8s-pool1-12345678-vmss000003',
      '/etc/default/kubelet:2: node-ip is 10.240.0.4',
      '/etc/netplan/01-static.yaml:5: addresses is 10.9.9.9/24',
      '/etc/netplan/01-static.yaml:6: addresses is 2001:db8::5/64',
      '/etc/network/interfaces:2: address is 10.7.7.7',
      '/etc/systemd/network/10-eth.network:2: MACAddress is 00:0d:3a:aa:bb:cc',
      '/etc/systemd/system/agent.service.d/name.conf:2: NODE is k8s-pool1-12345678-vmss000003',
      '/var/lib/kubelet/config.yaml:2: address is 10.240.0.4',
    ]);
  });

  it('treats a MAC address from cloud-init as static if cloud-init will not rewrite it', () => {
    const netplan = {
      '/etc/netplan/50-cloud-init.yaml': 'network:\n  ethernets: {eth0: {match: {macaddress: "00:0d:3a:aa:bb:cc"}}}\n',
    };
    expect(staticReferences(inspectRoot(shell, netplan))).toEqual([]);
    for (const off of [
      { '/etc/cloud/cloud-init.disabled': '' },
      { '/etc/cloud/cloud.cfg.d/99-net.cfg': 'network: {config: disabled}\n' },
    ]) {
      expect(staticReferences(inspectRoot(shell, { ...netplan, ...off })).map(describeReference)).toEqual([
        '/etc/netplan/50-cloud-init.yaml:2: macaddress is 00:0d:3a:aa:bb:cc',
      ]);
    }
  });

  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const jwt = (exp: number) =>
    ['{"alg":"none"}', `{"iss":"x","exp":${exp},"sub":"y"}`, 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  const own = kubeconfig('client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem');
  const [MAIN, BOOTSTRAP] = ['/var/lib/kubelet/kubeconfig', '/etc/kubernetes/bootstrap-kubelet.conf'];

  it.each<[string, Record<string, string>, Partial<JoinMethod>]>([
    [
      'a certificate that the pool shares, embedded',
      { [MAIN]: kubeconfig(`client-certificate-data: ${base64(pem('shared'))}\nclient-key-data: ${CANARY}`) },
      { kind: 'shared-certificate', file: MAIN, subject: 'O=system:masters, CN=client' },
    ],
    [
      'a certificate that the pool shares, by its file',
      { [MAIN]: kubeconfig('client-certificate: /etc/kubernetes/certs/client.crt') },
      { kind: 'shared-certificate', file: MAIN },
    ],
    ['a bootstrap token', { [MAIN]: own }, { kind: 'bootstrap-token', file: BOOTSTRAP, tokenId: 'abcdef' }],
    [
      'a signed bootstrap token',
      { [MAIN]: own, [BOOTSTRAP]: kubeconfig(`token: ${jwt(2_000_000_000)}`) },
      { kind: 'bootstrap-token', file: BOOTSTRAP, expiresMs: 2_000_000_000_000 },
    ],
    ['a token in its kubeconfig', { [MAIN]: kubeconfig(`token: "${CANARY}"`) }, { kind: 'shared-token', file: MAIN }],
    [
      'a credential plugin',
      {
        [MAIN]: kubeconfig(
          'exec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: /usr/local/bin/kubelogin\n  args: [get-token]',
        ),
      },
      { kind: 'exec-credential', file: MAIN, command: 'kubelogin' },
    ],
    [
      'a bootstrap kubeconfig at the place that the running kubelet was given',
      {
        [MAIN]: own,
        [BOOTSTRAP]: kubeconfig(''),
        '/proc/4711/comm': 'kubelet\n',
        '/proc/4711/cmdline': `/usr/bin/kubelet\0--kubeconfig\0${MAIN}\0--bootstrap-kubeconfig=/opt/boot.conf\0`,
        '/opt/boot.conf': kubeconfig('token: zyxwvu.0123456789abcdef'),
      },
      { kind: 'bootstrap-token', file: '/opt/boot.conf', tokenId: 'zyxwvu' },
    ],
  ])('recognises that a clone joins by %s', (_, files, method) => {
    expect(joinMethod(inspectRoot(shell, files), { nodeName: DONOR_NAME, nowMs: NOW_MS })).toMatchObject(method);
  });

  it('explains why a clone cannot join', () => {
    const seen = inspectRoot(shell, { [MAIN]: own, [BOOTSTRAP]: kubeconfig(`token: ${jwt(1_600_000_000)}`) });
    expect(joinMethod(seen, { nodeName: DONOR_NAME, nowMs: NOW_MS })).toEqual({
      kind: 'none',
      reasons: [
        `${MAIN}: its certificate (O=system:nodes, CN=system:node:${DONOR_NAME}) is this node's own`,
        `${BOOTSTRAP}: its token expired at 2020-09-13T12:26:40.000Z`,
      ],
    });
    const expired = {
      [MAIN]: kubeconfig(`client-certificate-data: ${base64(pem('expired'))}`),
      [BOOTSTRAP]: kubeconfig('{}'),
    };
    expect(joinMethod(inspectRoot(shell, expired), { nodeName: DONOR_NAME, nowMs: NOW_MS })).toEqual({
      kind: 'none',
      reasons: [
        `${MAIN}: its certificate (O=system:masters, CN=client) expired at 2021-01-01T00:00:00.000Z`,
        `${BOOTSTRAP}: it has no credential`,
      ],
    });
  });

  it('returns custom data only on request, wrapped in a Secret', () => {
    const text = `#cloud-config\n# ${CANARY}\n`;
    const seen = inspectRoot(shell, { '/var/lib/cloud/instances/one/user-data.txt': text }, true);
    expect(seen.customData!.file).toBe('/var/lib/cloud/instances/one/user-data.txt');
    expect(Buffer.from(seen.customData!.base64.reveal(), 'base64').toString()).toBe(text);
    for (const printed of [JSON.stringify(seen), inspect(seen, { depth: 9 }), `${seen.customData!.base64}`]) {
      expect(printed).not.toContain(CANARY);
      expect(printed).not.toContain(base64(text).slice(0, 20));
    }
  });

  it("prefers the platform's copy of custom data", () => {
    const given = base64(`#cloud-config\n# ${CANARY} as given\n`);
    const xml = `<Environment><wa:LinuxProvisioningConfigurationSet><CustomData>${given}</CustomData></wa:LinuxProvisioningConfigurationSet></Environment>`;
    const seen = inspectRoot(shell, { '/var/lib/waagent/ovf-env.xml': xml }, true);
    expect(seen.customData!.base64.reveal()).toBe(given);
  });

  describe('the protected settings of extensions', () => {
    const HANDLER = '/var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.10/config';
    const command = JSON.stringify({ commandToExecute: `join --token ${CANARY} "quoted" ünïcode` });
    const settings = (protectedSettings: unknown, thumbprint: string, indent?: number) =>
      JSON.stringify(
        {
          runtimeSettings: [
            {
              handlerSettings: {
                publicSettings: { fileUris: [] },
                protectedSettings,
                protectedSettingsCertThumbprint: thumbprint,
              },
            },
          ],
        },
        null,
        indent,
      );
    const opened = (seen: Inspection) =>
      seen.extensionSettings.map(({ file, protected: state }) => [
        file,
        typeof state === 'string' ? state : state.json.reveal(),
      ]);

    it('are decrypted with the key beside them, wrapped in a Secret', () => {
      const { thumbprint, files, seal } = makeSealer();
      const seen = inspectRoot(
        shell,
        { ...files, [`${HANDLER}/0.settings`]: settings(seal(command), thumbprint) },
        true,
      );
      expect(seen.extensionSettings).toMatchObject([
        { handler: 'Microsoft.Azure.Extensions.CustomScript', version: '2.1.10', file: `${HANDLER}/0.settings` },
      ]);
      expect(opened(seen)).toEqual([[`${HANDLER}/0.settings`, command]]);
      for (const printed of [JSON.stringify(seen), inspect(seen, { depth: 9 })]) expect(printed).not.toContain(CANARY);
    });

    it('are not read without a request for custom data', () => {
      const { thumbprint, files, seal } = makeSealer();
      const seen = inspectRoot(shell, { ...files, [`${HANDLER}/0.settings`]: settings(seal(command), thumbprint) });
      expect(seen.extensionSettings).toEqual([]);
    });

    it('are of the newest number, of each name, in any layout of the file', () => {
      const { thumbprint, files, seal } = makeSealer();
      const escaped = settings(seal(command), thumbprint.toLowerCase(), 2)
        .replaceAll('+', '\\u002B')
        .replaceAll('=', '\\u003d')
        .replace(/(?<=[A-Za-z0-9])\/(?=[A-Za-z0-9])/g, '\\/');
      const seen = inspectRoot(
        shell,
        {
          ...files,
          [`${HANDLER}/9.settings`]: settings(seal('{"old":1}'), thumbprint),
          [`${HANDLER}/10.settings`]: escaped.replaceAll('\n', '\r\n'),
          [`${HANDLER}/one.two.3.settings`]: settings(seal('{"named":1}'), thumbprint),
          [`${HANDLER}/HandlerState.settings`]: 'x',
        },
        true,
      );
      expect(opened(seen)).toEqual([
        [`${HANDLER}/10.settings`, command],
        [`${HANDLER}/one.two.3.settings`, '{"named":1}'],
      ]);
      expect(seen.extensionSettings.map(({ name }) => name)).toEqual([undefined, 'one.two']);
    });

    it('are reported as none, or as unreadable without the key, with another key or if damaged', () => {
      const [mine, other] = [makeSealer(), makeSealer()];
      const at = (type: string) => `/var/lib/waagent/P.${type}-1.0/config/0.settings`;
      const seen = inspectRoot(
        shell,
        {
          ...mine.files,
          [at('A')]: '{"runtimeSettings":[{"handlerSettings":{"publicSettings":{"a":"b"}}}]}',
          [at('B')]: settings(null, ''),
          [at('C')]: settings(other.seal(command), other.thumbprint),
          [at('D')]: settings(other.seal(command), mine.thumbprint),
          [at('E')]: settings('AAAA', mine.thumbprint),
        },
        true,
      );
      expect(opened(seen).map(([, state]) => state)).toEqual([
        ...['none', 'none', 'unreadable', 'unreadable', 'unreadable'],
      ]);
    });
  });

  it('treats special characters in a node name literally', () => {
    const ran = pipe(shell, inspectScript({ nodeName: `x'; echo ${CANARY}; '`, root: makeEmptyRoot() }));
    expect(ran.stdout).not.toMatch(new RegExp(`^${CANARY}`, 'm'));
    expect(parseInspection(ran.stdout)).toMatchObject({ isComplete: true, credentials: [], references: [] });
  });
});

function makeEmptyRoot(): string {
  const root = makeRoot({});
  roots.push(root);
  return root;
}
