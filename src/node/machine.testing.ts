// node/machine.testing.ts: an in-memory node for tests. It can be observed, it executes every step of a plan, and it
// throws when a step comes at the wrong time.
import { dirname } from 'node:path';
import type { Argv, CommandResult } from '../base/command.ts';
import { KUBECONFIG_PATH } from './desired/aspects/join.ts';
import { FLAGS_PATH } from './desired/aspects/kubelet.ts';
import { RULES_PATH } from './desired/aspects/metadata-firewall.ts';
import { sysctlPath } from './desired/aspects/sysctl.ts';
import { contentBytes, contentText, toBytes } from './desired/bytes.ts';
import { BASE_PATH, effectiveConfig, KIND, renderJson } from './desired/kubelet-config.ts';
import { parseFlags } from './desired/kubelet-flags.ts';
import type { Bytes, LiveKind, Original, PlanStep } from './desired/tree.ts';
import { CERTIFICATE } from './document/documents.testing.ts';
import type { HostReader } from './observe/host-reader.ts';
import type { NodeLabelsAndTaints } from './observe/live-values.ts';
import { foldersAbove } from './plan/folders.ts';

type Entry = Exclude<Original, { kind: 'absent' }>;
interface Unit {
  isActive: boolean;
  isEnabled: boolean;
  /** A oneshot unit that has finished. */
  isDone?: boolean;
}

export class Machine implements HostReader {
  readonly files = new Map<string, Entry>();
  readonly folders = new Set<string>();
  readonly kernel = new Map<string, string>();
  readonly modules = new Set<string>();
  readonly swaps = new Set<string>();
  readonly units = new Map<string, Unit>();
  rules: string | undefined;
  node: { labels: Map<string, string>; taints: Map<string, string> } | undefined;
  isKubeletStarted = false;
  isCordoned = false;
  isReloadDue = false;
  /** Every step that was executed, in order. */
  readonly done: PlanStep[] = [];

  constructor() {
    for (const unit of ['containerd', 'ssh', 'systemd-resolved', 'systemd-timesyncd']) {
      this.units.set(`${unit}.service`, { isActive: true, isEnabled: true });
    }
    this.units.set('kubelet.service', { isActive: false, isEnabled: true });
    for (const unit of this.units.keys()) this.put(`/usr/lib/systemd/system/${unit}`, '[Service]\n');
    this.put(BASE_PATH, renderJson({ ...KIND, maxPods: 110, containerRuntimeEndpoint: 'unix:///run/x.sock' }));
    this.put('/etc/containerd/config.toml', 'version = 2\n');
    this.put('/etc/crictl.yaml', 'runtime-endpoint: unix:///run/containerd/containerd.sock\n');
    this.put('/etc/hostname', 'localhost\n');
    this.put('/etc/passwd', 'root:x:0:0::/root:/bin/sh\napp:x:1000:1001::/:/bin/sh\n');
    this.put('/etc/group', 'root:x:0:\napp:x:1001:\n');
    this.put('/etc/systemd/system/multi-user.target.wants/keep', '');
    this.put('/mnt/kubelet/keep', '');
    this.put('/var/lib/dpkg/status', '');
    this.put('/usr/local/share/ca-certificates/README', '');
    this.link('/etc/motd', '/run/motd.dynamic');
    for (const [key, value] of [
      ['vm.max_map_count', '65530'],
      ['net.ipv4.tcp_rmem', '4096\t131072\t6291456'],
      ['net/ipv4/conf/eth0.1/forwarding', '0'],
      ['kernel.hostname', 'localhost'],
    ] as const) {
      this.kernel.set(sysctlPath(key), value);
    }
    this.kernel.set(
      '/proc/net/route',
      'Iface\tDest\neth1\t00000000\t0\t3\t0\t0\t200\neth0\t00000000\t0\t3\t0\t0\t100\n',
    );
    this.kernel.set('/sys/class/net/eth0/mtu', '1500');
  }

  put(path: string, text: string, mode = 0o644): void {
    for (const folder of foldersAbove(path)) this.folders.add(folder);
    this.files.set(path, { kind: 'file', ...toBytes(Buffer.from(text), false), mode, uid: 0, gid: 0 });
  }

  link(path: string, target: string): void {
    for (const folder of foldersAbove(path)) this.folders.add(folder);
    this.files.set(path, { kind: 'link', target });
  }

  at(path: string, isSecret: boolean): ReturnType<HostReader['at']> {
    const entry = this.files.get(path);
    if (entry?.kind !== 'file') return entry ?? { kind: 'absent' };
    return { ...entry, ...toBytes(contentBytes(entry), isSecret) };
  }

  isFolder(path: string): boolean {
    return this.folders.has(path);
  }

  names(path: string): string[] {
    if (path === '/etc/systemd/system/multi-user.target.wants') {
      return [...this.units].filter(([, unit]) => unit.isEnabled).map(([name]) => name);
    }
    return [...this.files.keys(), ...this.folders]
      .filter((one) => dirname(one) === path)
      .map((one) => one.slice(path.length + 1));
  }

  text(path: string): string | undefined {
    if (path === '/proc/modules') return [...this.modules].map((name) => `${name.replaceAll('-', '_')} 1 0\n`).join('');
    if (path === '/proc/swaps') return [...this.swaps].map((file) => `${file} file 1 0 -2\n`).join('');
    const entry = this.files.get(path);
    return this.kernel.get(path) ?? (entry?.kind === 'file' ? contentText(entry) : undefined);
  }

  size(path: string): number | undefined {
    const entry = this.files.get(path);
    return entry?.kind === 'file' ? Number(contentText(entry)) : undefined;
  }

  run = async ([program, verb, ...args]: Argv): Promise<CommandResult> => {
    if (program === 'nft') return this.rules === undefined ? ran('', 1) : ran(this.rules, 0);
    if (verb === 'is-enabled') {
      const name = args.at(-1)!;
      return this.exists(name) ? ran(this.stateOf(name), 0) : ran('not-found', 4);
    }
    return ran(
      args
        .slice(2)
        .map((name) => this.show(name))
        .join('\n\n'),
      0,
    );
  };

  private exists(unit: string): boolean {
    const files = [`/usr/lib/systemd/system/${unit}`, `/etc/systemd/system/${unit}`];
    return files.some((path) => this.files.has(path));
  }

  private isMasked(unit: string): boolean {
    const entry = this.files.get(`/etc/systemd/system/${unit}`);
    return entry?.kind === 'link' && entry.target === '/dev/null';
  }

  private stateOf(name: string): string {
    const { isEnabled } = this.unit(name);
    return this.isMasked(name) ? 'masked' : isEnabled ? 'enabled' : 'disabled';
  }

  finish(name: string): void {
    this.units.set(name, { ...this.unit(name), isActive: false, isDone: true });
  }

  private show(name: string): string {
    if (!this.exists(name)) return `Id=${name}\nLoadState=not-found\nActiveState=inactive\nUnitFileState=`;
    const unit = this.unit(name);
    const started = unit.isDone || (name === 'kubelet.service' && this.isKubeletStarted) ? '12345' : '0';
    const type = unit.isDone ? 'oneshot' : 'simple';
    return `Id=${name}\nLoadState=${this.isMasked(name) ? 'masked' : 'loaded'}\nActiveState=${unit.isActive ? 'active' : 'inactive'}\nUnitFileState=${this.stateOf(name)}\nExecMainStartTimestampMonotonic=${started}\nType=${type}\nResult=success`;
  }

  private unit(name: string): Unit {
    const unit = this.units.get(name) ?? { isActive: false, isEnabled: false };
    this.units.set(name, unit);
    return unit;
  }

  get seenNode(): NodeLabelsAndTaints | undefined {
    return this.node;
  }

  apply(steps: readonly PlanStep[]): void {
    for (const step of steps) {
      this.done.push(step);
      this.take(step);
    }
  }

  private take(step: PlanStep): void {
    switch (step.do) {
      case 'drain':
        this.isCordoned = true;
        return;
      case 'uncordon':
        this.isCordoned = false;
        return;
      case 'make-folder':
        this.expectThat(
          dirname(step.path) === '/' || this.folders.has(dirname(step.path)),
          `${step.path} has a folder above it`,
        );
        this.expectThat(!this.folders.has(step.path) && !this.files.has(step.path), `${step.path} is free`);
        this.folders.add(step.path);
        return;
      case 'write-file': {
        const { do: _, path, ...file } = step;
        this.expectThat(this.folders.has(dirname(path)), `${path} has a folder`);
        this.touch(path, { kind: 'file', ...file });
        return;
      }
      case 'make-link':
        this.touch(step.path, { kind: 'link', target: step.target });
        return;
      case 'remove-file':
      case 'remove-state':
        this.expectThat(this.files.has(step.path), `${step.path} exists`);
        this.touch(step.path, undefined);
        return;
      case 'remove-folder':
        if (this.names(step.path).length === 0) this.folders.delete(step.path);
        return;
      case 'set':
        this.set(step.kind, step.key, step.value);
        return;
      case 'clear':
        this.clear(step.kind, step.key);
        return;
      case 'daemon-reload':
        this.isReloadDue = false;
        return;
      case 'restart-unit':
      case 'reload-unit':
        this.expectThat(this.unit(step.unit).isActive || this.unit(step.unit).isDone === true, `${step.unit} runs`);
        this.expectThat(this.exists(step.unit) && !this.isMasked(step.unit), `${step.unit} exists`);
        this.expectThat(!this.isReloadDue, `systemd has read the units before ${step.unit} restarts`);
        if (step.unit === 'kubelet.service') this.keepState();
        return;
      case 'stop-unit':
        this.unit(step.unit).isActive = false;
        return;
      case 'start-unit':
        this.expectThat(!this.isReloadDue, `systemd has read the units before ${step.unit} starts`);
        this.unit(step.unit).isActive = true;
        if (step.unit === 'kubelet.service') this.keepState();
        return;
      case 'update-trust':
        return;
      case 'apply-tmpfiles':
        this.expectThat(this.files.has(step.path), `${step.path} exists`);
        return;
      case 'reboot':
        this.isReloadDue = false;
        this.unit('kubelet.service').isActive = true;
        return;
    }
  }

  private touch(path: string, entry: Entry | undefined): void {
    if (path.startsWith('/etc/systemd/system/')) this.isReloadDue = true;
    if (entry === undefined) this.files.delete(path);
    else this.files.set(path, entry);
  }

  private set(kind: LiveKind, key: string, value: string): void {
    switch (kind) {
      case 'sysctl':
        this.expectThat(this.kernel.has(sysctlPath(key)), `${key} exists`);
        this.kernel.set(sysctlPath(key), value.replaceAll(' ', '\t'));
        return;
      case 'module':
        this.modules.add(key);
        return;
      case 'host-name':
        this.kernel.set('/proc/sys/kernel/hostname', value);
        return;
      case 'mtu':
        this.kernel.set('/sys/class/net/eth0/mtu', value);
        return;
      case 'swap':
        this.swaps.add(key);
        this.files.set(key, { kind: 'file', ...text(value), mode: 0o600, uid: 0, gid: 0 });
        return;
      case 'firewall':
        this.rules = contentText(this.files.get(RULES_PATH) as Bytes);
        return;
      case 'kubeconfig':
        this.put(KUBECONFIG_PATH, kubeconfig(value), 0o600);
        return;
      case 'label':
        this.node!.labels.set(key, value);
        return;
      case 'taint':
        throw new Error('a node may not change its taints');
      case 'unit-enabled':
        this.expectThat(this.exists(key), `${key} exists`);
        this.expectThat(value === 'no' || !this.isReloadDue, `systemd has read the units before ${key} is enabled`);
        this.expectThat(!this.isMasked(key), `${key} is not masked`);
        this.unit(key).isEnabled = value === 'yes';
        return;
      case 'unit-active':
        this.expectThat(this.exists(key), `${key} exists`);
        this.expectThat(value === 'no' || !this.isReloadDue, `systemd has read the units before ${key} starts`);
        this.expectThat(value === 'no' || !this.isMasked(key), `${key} is not masked`);
        this.unit(key).isActive = value === 'yes' && !key.includes('@.');
        return;
    }
  }

  private clear(kind: LiveKind, key: string): void {
    if (kind === 'swap') {
      this.swaps.delete(key);
      this.files.delete(key);
    } else if (kind === 'firewall') this.rules = undefined;
    else if (kind === 'label') this.node!.labels.delete(key);
    else throw new Error(`nothing to clear in ${kind}`);
  }

  private expectThat(isTrue: boolean, what: string): void {
    if (!isTrue) throw new Error(`the step comes at the wrong time: expected that ${what}`);
  }

  /** kubelet starts, gets its certificate and registers with the labels and taints of its flags and configuration. */
  join(): void {
    this.unit('kubelet.service').isActive = true;
    this.isKubeletStarted = true;
    this.put(KUBECONFIG_PATH, kubeconfig('https://10.0.0.1:6443'), 0o600);
    this.put('/var/lib/kubelet/pki/current.pem', CERTIFICATE, 0o600);
    this.keepState();
    const flags = parseFlags(this.text(FLAGS_PATH) ?? '');
    const labels = (flags.get('node-labels') ?? '').split(',').filter(Boolean);
    const dropIns = [...this.files.keys()].filter((path) => path.startsWith('/etc/kubernetes/kubelet/config.d/'));
    const config = effectiveConfig({}, new Map(dropIns.map((path) => [path, JSON.parse(this.text(path)!)])));
    const taints = (config.registerWithTaints ?? []) as { key: string; effect: string; value?: string }[];
    this.node = {
      labels: new Map(labels.map((label) => label.split('=') as [string, string])),
      taints: new Map(taints.map(({ key, effect, value }) => [`${key}:${effect}`, value ?? ''])),
    };
  }

  private keepState(): void {
    const root = parseFlags(this.text(FLAGS_PATH) ?? '').get('root-dir') ?? '/var/lib/kubelet';
    this.put(`${root}/cpu_manager_state`, '{}');
  }

  /** Everything that a plan can change, byte for byte, except modules: they stay loaded by design. */
  snapshot(): unknown {
    const own = [...this.files].filter(([path]) => !path.endsWith('_manager_state'));
    const files = own.map(([path, entry]) => [
      path,
      entry.kind === 'file' ? { ...entry, content: contentBytes(entry).toString('latin1'), encoding: '' } : entry,
    ]);
    return {
      files: Object.fromEntries(files.sort()),
      folders: [...this.folders].sort(),
      kernel: [...this.kernel].map(([key, value]) => [key, value.replaceAll('\t', ' ')]).sort(),
      swaps: [...this.swaps].sort(),
      units: [...this.units]
        .filter(([, unit]) => unit.isActive || unit.isEnabled)
        .map(([name, unit]) => [name, { ...unit }])
        .sort(),
      rules: this.rules,
      node: this.node && { labels: [...this.node.labels].sort(), taints: [...this.node.taints].sort() },
      isCordoned: this.isCordoned,
    };
  }
}

function kubeconfig(server: string): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: ${server}
  name: default-cluster
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/current.pem
    client-key: /var/lib/kubelet/pki/current.pem
`;
}

function text(value: string): Bytes {
  return { content: value, encoding: 'utf8' };
}

function ran(stdout: string, code: number): CommandResult {
  return { outcome: 'exited', code, stdout: Buffer.from(stdout), stderr: '' };
}
