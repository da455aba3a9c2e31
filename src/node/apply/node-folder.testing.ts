// node/apply/node-folder.testing.ts: a fake node in a folder: real files, and small fakes of systemd, the kernel and
// the firewall. The state of the fakes is kept in a file, so that it survives a killed process.
import {
  cpSync,
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
import { dirname, join } from 'node:path';
import type { Argv, CommandOptions, CommandResult, RunCommand } from '../../base/command.ts';
import { type FakeClock, fakeClock } from '../../base/fake-clock.ts';
import { KUBECONFIG_PATH } from '../desired/aspects/join.ts';
import { RULES_PATH } from '../desired/aspects/metadata-firewall.ts';
import { BASE_PATH, KIND, renderJson } from '../desired/kubelet-config.ts';
import type { NodeConfig } from '../document/config.ts';
import { aConfig, someFacts } from '../document/configs.testing.ts';
import { CERTIFICATE } from '../document/documents.testing.ts';
import { createHostReader, type HostReader } from '../observe/host-reader.ts';
import type { NodeLabelsAndTaints } from '../observe/live-values.ts';
import type { ApplyDeps, Assignment, NodeHealth, Probes, UnitHealth } from './contract.ts';
import { type NodeDisk, systemDisk } from './disk.ts';

interface Unit {
  isActive: boolean;
  wasStarted: boolean;
  starts: number;
}

const WANTS = 'etc/systemd/system/multi-user.target.wants';

interface System {
  units: Record<string, Unit>;
  rules: string | null;
  isReloadDue: boolean;
}

export class NodeFolder {
  readonly folder: string;
  readonly root: string;
  readonly clock: FakeClock = fakeClock();
  /** Commands that were run, except queries. */
  readonly ran: string[] = [];
  /** `program`, `program verb`, `start unit`, `drain`, `uncordon` or `label` → how many times it fails. */
  readonly failing = new Map<string, number>();
  readonly health: { units: Map<string, UnitHealth>; runtime: boolean; kubelet: boolean; node: NodeHealth };
  readonly labels: Map<string, string> = new Map();
  seen: NodeLabelsAndTaints | undefined;
  bootId = 'boot-1';
  reboots = 0;
  drains = 0;
  uncordons = 0;

  /** Default: a new folder with the files of an image. */
  constructor(folder?: string) {
    this.folder = folder ?? mkdtempSync(join(tmpdir(), 'headstart-node-'));
    this.root = join(this.folder, 'root');
    this.health = { units: new Map(), runtime: true, kubelet: true, node: { isReachable: false } };
    if (folder === undefined) this.#build();
  }

  #build(): void {
    const units: System['units'] = {};
    for (const name of ['containerd.service', 'ssh.service', 'systemd-resolved.service', 'systemd-timesyncd.service']) {
      units[name] = { isActive: true, wasStarted: true, starts: 1 };
    }
    units['kubelet.service'] = { isActive: false, wasStarted: false, starts: 0 };
    mkdirSync(join(this.root, WANTS), { recursive: true });
    for (const name of Object.keys(units)) {
      this.put(`/usr/lib/systemd/system/${name}`, '[Service]\n');
      symlinkSync(`/usr/lib/systemd/system/${name}`, join(this.root, WANTS, name));
    }
    this.put(BASE_PATH, renderJson({ ...KIND, maxPods: 110, containerRuntimeEndpoint: 'unix:///run/x.sock' }));
    this.put('/etc/containerd/config.toml', 'version = 2\n');
    this.put('/etc/crictl.yaml', 'runtime-endpoint: unix:///run/containerd/containerd.sock\n');
    this.put('/etc/hostname', 'localhost\n');
    this.put('/etc/passwd', 'root:x:0:0::/root:/bin/sh\n');
    this.put('/etc/group', 'root:x:0:\n');
    this.put('/mnt/kubelet/keep', '');
    this.put('/var/lib/dpkg/status', '');
    this.put('/usr/local/share/ca-certificates/README', '');
    symlinkSync('/run/motd.dynamic', join(this.root, 'etc/motd'));
    this.#startKernel();
    this.#write({ units, rules: null, isReloadDue: false });
  }

  #startKernel(): void {
    this.put('/proc/sys/vm/max_map_count', '65530');
    this.put('/proc/sys/net/ipv4/tcp_rmem', '4096\t131072\t6291456');
    this.put('/proc/sys/net/ipv4/conf/eth0.1/forwarding', '0');
    this.put('/proc/sys/kernel/hostname', 'localhost');
    this.put('/proc/modules', '');
    this.put('/proc/swaps', 'Filename Type Size Used Priority\n');
    this.put('/proc/net/route', 'Iface\tDest\neth0\t00000000\t0\t3\t0\t0\t100\n');
    this.put('/sys/class/net/eth0/mtu', '1500');
  }

  put(path: string, text: string, mode = 0o644): void {
    mkdirSync(join(this.root, dirname(path)), { recursive: true });
    writeFileSync(join(this.root, path), text, { mode });
  }

  text(path: string): string | undefined {
    try {
      return readFileSync(join(this.root, path), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** A copy of the node in its current state. */
  copy(): NodeFolder {
    const folder = mkdtempSync(join(tmpdir(), 'headstart-node-'));
    cpSync(this.folder, folder, { recursive: true, verbatimSymlinks: true });
    const copy = new NodeFolder(folder);
    copy.bootId = this.bootId;
    Object.assign(copy.health, this.health);
    return copy;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  get system(): System {
    return JSON.parse(readFileSync(join(this.folder, 'system.json'), 'utf8'));
  }

  #write(system: System): void {
    writeFileSync(join(this.folder, 'system.json'), JSON.stringify(system));
  }

  /** kubelet starts, gets its certificate and registers. */
  join(): void {
    const pem = '/var/lib/kubelet/pki/current.pem';
    this.put(KUBECONFIG_PATH, kubeconfig(pem), 0o600);
    this.put(pem, CERTIFICATE, 0o600);
    this.beat();
  }

  /** kubelet sends a heartbeat. */
  beat(): void {
    const { system } = this;
    system.units['kubelet.service'] = { isActive: true, wasStarted: true, starts: 1 };
    this.#write(system);
    this.health.node = { isReachable: true, isReady: true, heartbeatMs: this.clock.nowMs() };
  }

  /** Enabled units start, except kubelet, which waits for the daemon. Kernel settings are lost. */
  boot(): void {
    const { system } = this;
    for (const [name, unit] of Object.entries(system.units)) {
      const starts = this.#isEnabled(name) && name !== 'kubelet.service';
      Object.assign(unit, { isActive: starts, wasStarted: starts });
    }
    this.#write({ ...system, rules: null });
    this.#startKernel();
    this.bootId = `boot-${Number(this.bootId.slice(5)) + 1}`;
  }

  /** All files, byte for byte, and the running units, without the saved state of headstart. */
  snapshot(): { files: [string, string][]; running: unknown; rules: string | null } {
    const { units, rules } = this.system;
    const running = Object.entries(units).filter(([, { isActive }]) => isActive);
    return { files: this.#tree(''), running: running.map(([name]) => name).sort(), rules };
  }

  #tree(folder: string): [string, string][] {
    return readdirSync(join(this.root, folder))
      .sort()
      .flatMap((name): [string, string][] => {
        const path = `${folder}/${name}`;
        if (path === '/var/lib/headstart' || path === '/run') return [];
        const stat = lstatSync(join(this.root, path));
        if (stat.isSymbolicLink()) return [[path, `→ ${readlinkSync(join(this.root, path))}`]];
        if (stat.isDirectory()) return [[path, 'folder'], ...this.#tree(path)];
        const text = readFileSync(join(this.root, path), 'latin1');
        if (path.startsWith('/proc/sys/')) return [[path, text.replaceAll('\t', ' ')]];
        return [[path, `${(stat.mode & 0o7777).toString(8)} ${text}`]];
      });
  }

  deps(disk: NodeDisk = this.disk()): ApplyDeps {
    return {
      root: this.root,
      clock: this.clock,
      run: this.run,
      host: this.hostReader(),
      disk,
      bootId: this.bootId,
      probes: this.probes(),
      node: {
        seen: async () => this.seen,
        drain: async () => {
          this.#mayFail('drain');
          this.drains++;
        },
        uncordon: async () => {
          this.#mayFail('uncordon');
          this.uncordons++;
        },
        setLabel: async (key, value) => {
          this.#mayFail('label');
          if (value === undefined) this.labels.delete(key);
          else this.labels.set(key, value);
        },
      },
      reboot: async () => {
        this.reboots++;
      },
    };
  }

  #mayFail(what: string): void {
    if (this.#fails(what)) throw new Error(`${what} fails`);
  }

  #fails(what: string): boolean {
    const times = this.failing.get(what) ?? 0;
    if (times > 0) this.failing.set(what, times - 1);
    return times > 0;
  }

  /** Files owned by the user who runs the tests count as owned by root. */
  hostReader(): HostReader {
    const host = createHostReader(this.root, this.run);
    const at: HostReader['at'] = (path, isSecret) => {
      const seen = host.at(path, isSecret);
      return seen.kind === 'file' && seen.uid === process.geteuid?.() ? { ...seen, uid: 0, gid: 0 } : seen;
    };
    return { ...host, at };
  }

  /** Does not sync; `forgetfulDisk` tests syncing. */
  disk(): NodeDisk {
    const disk = systemDisk(this.root);
    const create: NodeDisk['create'] = (path, bytes, { mode }) => disk.create(path, bytes, { mode });
    return { ...disk, create, syncFiles: async () => {}, syncFolders: async () => {} };
  }

  probes(): Probes {
    return {
      units: async (names) =>
        new Map(
          names.map((name) => {
            const unit = this.system.units[name];
            const state = unit === undefined ? 'absent' : unit.isActive ? 'active' : 'inactive';
            return [name, this.health.units.get(name) ?? { state, restarts: 0 }];
          }),
        ),
      runtimeAnswers: async () => this.health.runtime,
      kubeletHealthz: async () => this.health.kubelet,
      kubeletConfig: async () => undefined,
      node: async () => this.health.node,
    };
  }

  run: RunCommand = async (argv, options) => {
    const [program, ...args] = argv;
    const words = args.filter((arg) => !arg.startsWith('-'));
    if (this.#fails(program) || this.#fails(`${program} ${words[0]}`)) return answer('no', 1);
    if (program === 'systemctl') return this.#systemctl(argv);
    if (program === 'nft') return this.#nft(args, options);
    this.ran.push(argv.join(' ').replaceAll(this.root, ''));
    const place = args.at(-1) ?? '';
    const file = place.replace(this.root, '');
    if (program === 'modprobe') {
      const lines = words.map((name) => `${name.replaceAll('-', '_')} 1 0`);
      const loaded = new Set([...(this.text('/proc/modules') ?? '').split('\n').filter(Boolean), ...lines]);
      this.put('/proc/modules', [...loaded, ''].join('\n'));
    }
    if (program === 'fallocate') writeFileSync(place, 'swap'.padEnd(Number(args[1]), '.'), { mode: 0o600 });
    if (program === 'swapon') this.put('/proc/swaps', `${this.text('/proc/swaps')}${file} file 1 0 -2\n`);
    if (program === 'swapoff')
      this.put(
        '/proc/swaps',
        this.text('/proc/swaps')!
          .split('\n')
          .filter((line) => !line.startsWith(`${file} `))
          .join('\n'),
      );
    return answer('');
  };

  #nft(args: readonly string[], options: CommandOptions | undefined): CommandResult {
    const { system } = this;
    if (args[0] === 'list') return system.rules === null ? answer('', 1) : answer(system.rules);
    this.ran.push('nft');
    system.rules = options?.input === undefined ? (this.text(RULES_PATH) ?? null) : null;
    this.#write(system);
    return answer('');
  }

  #systemctl(argv: Argv): CommandResult {
    const [, ...args] = argv;
    const [verb, ...rest] = args.filter((arg) => !arg.startsWith('--'));
    const { system } = this;
    if (verb === 'show') return answer(rest.map((name) => this.#show(name, system)).join('\n\n'));
    if (verb === 'is-enabled') return answer(this.#exists(rest[0]!) ? this.#fileState(rest[0]!) : 'not-found');
    if (verb !== 'reset-failed') this.ran.push(argv.join(' ').replace(' --no-block', '').replace(' --', ''));
    if (verb === 'daemon-reload') system.isReloadDue = false;
    for (const name of rest) {
      const unit = system.units[name] ?? { isActive: false, wasStarted: false, starts: 0 };
      system.units[name] = unit;
      if (verb === 'reset-failed') continue;
      if (verb !== 'stop' && verb !== 'disable' && !this.#exists(name)) return answer(`${name} is not there`, 5);
      if ((verb === 'start' || verb === 'restart') && this.#fails(`start ${name}`)) {
        unit.isActive = false;
        this.#write(system);
        return answer(`${name} failed`, 1);
      }
      if (verb === 'stop') unit.isActive = false;
      if (verb === 'disable' || verb === 'reenable') rmSync(join(this.root, WANTS, name), { force: true });
      if (verb === 'reenable') symlinkSync(`/usr/lib/systemd/system/${name}`, join(this.root, WANTS, name));
      if (verb === 'start' || verb === 'restart' || (verb?.startsWith('try-') && unit.isActive)) {
        if (!name.includes('@.')) Object.assign(unit, { isActive: true, wasStarted: true, starts: unit.starts + 1 });
      }
    }
    this.#write(system);
    return answer('');
  }

  #exists(name: string): boolean {
    return [`/usr/lib/systemd/system/${name}`, `/etc/systemd/system/${name}`].some((path) => {
      try {
        lstatSync(join(this.root, path));
        return true;
      } catch {
        return false;
      }
    });
  }

  #isMasked(name: string): boolean {
    try {
      return readlinkSync(join(this.root, '/etc/systemd/system', name)) === '/dev/null';
    } catch {
      return false;
    }
  }

  #isEnabled(name: string): boolean {
    return readdirSync(join(this.root, WANTS)).includes(name);
  }

  #fileState(name: string): string {
    return this.#isMasked(name) ? 'masked' : this.#isEnabled(name) ? 'enabled' : 'disabled';
  }

  #show(name: string, system: System): string {
    const unit = system.units[name];
    const load = this.#exists(name) ? (this.#isMasked(name) ? 'masked' : 'loaded') : 'not-found';
    const active = unit?.isActive ? 'active' : 'inactive';
    return `Id=${name}\nLoadState=${load}\nActiveState=${active}\nUnitFileState=${this.#fileState(name)}\nExecMainStartTimestampMonotonic=${unit?.wasStarted ? 12345 : 0}\nType=simple\nResult=success`;
  }
}

/** As `parseDocument` would return it. The hash is computed from the content. */
export function assignmentOf(over: Partial<NodeConfig> = {}, origin = 'test'): Assignment {
  const config = aConfig(over);
  const text = JSON.stringify(config);
  const hash = `hash-of-${Buffer.from(text).toString('base64')}`;
  return { document: Buffer.from(text), documentHash: hash, hash, config, facts: someFacts, origin };
}

function kubeconfig(pem: string): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: https://10.0.0.1:6443
users:
- user:
    client-certificate: ${pem}
    client-key: ${pem}
`;
}

function answer(stdout: string, code = 0): CommandResult {
  return { outcome: 'exited', code, stdout: Buffer.from(stdout), stderr: code === 0 ? '' : stdout };
}
