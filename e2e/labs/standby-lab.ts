// e2e/labs/standby-lab.ts: a cluster, a pool of the node image without nodes, and its standby nodes, with a real kubelet and QEMU.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiType, type Configuration, CoreV1Api, KubeConfig, type V1Secret } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { isReady, type KubeCluster, raiseCluster } from '../../demo/kubernetes/cluster.ts';
import { imagePoolOptions } from '../../demo/kubernetes/pool-options.ts';
import { CLUSTER, homeOf, type KubeWorkshop, openKubeWorkshop } from '../../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../../demo/stage.ts';
import type { PoolView } from '../../src/cli/pool/view.ts';
import type { StandbyView } from '../../src/cli/standby/view.ts';
import { PARKED_TAINT } from '../../src/cluster/kubernetes/park-node.ts';
import { instanceFolder, instancesFolder, poolRef } from '../../src/vms/qemu/home/layout.ts';
import { freePorts } from './free-ports.ts';
import { processesIn } from './qemu-lab.ts';
import { GREETING } from './test-images.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const POOL = 'spare';
const TOKENS = { namespace: 'kube-system', fieldSelector: 'type=bootstrap.kubernetes.io/token' };
/** By how much a guest's clock may be wrong after a claim. */
const CLOCK_MS = 2000;
/** How long a node stays frozen. The default shows that the test works; hours show what a real pool sees. */
export const FROZEN_HOURS = Number(process.env.HEADSTART_STANDBY_HOURS || 0.02);
export const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';

export interface Claimed {
  claims: { instance: string; from: string; why?: string }[];
  tookMs: number;
}

/** One home for each name. `cluster` and `workshop` are there after `open`. */
export class StandbyLab {
  readonly home: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'headstart-standby-'));
  readonly stage: Stage;
  workshop!: KubeWorkshop;
  cluster!: KubeCluster;

  constructor(name: string) {
    this.home = homeOf(name, root);
    this.stage = openStage({ root, folder: this.folder, home: this.home, signal: new AbortController().signal });
  }

  ask(...args: string[]): Promise<string> {
    return this.stage.ask(...args);
  }

  async open(): Promise<void> {
    this.workshop = await openKubeWorkshop(this.home, this.stage.signal);
  }

  /** The cluster and the pool. */
  async raise(): Promise<void> {
    this.cluster = await raiseCluster(this.stage);
    const options = await imagePoolOptions(this.stage, this.workshop, this.cluster);
    await this.ask('pool', 'create', POOL, '--count', '0', ...options);
    expect(await this.cluster.nodeNames()).toEqual([]);
  }

  /** Nothing is left behind. */
  async lower(): Promise<void> {
    await this.ask('pool', 'delete', POOL, '--yes');
    expect(await this.cluster.nodeNames()).toEqual([]);
    await this.ask('cluster', 'down', '--name', CLUSTER, '--delete', '--yes');
    expect(processesIn(this.home)).toEqual([]);
  }

  async close(): Promise<void> {
    await this.workshop?.close();
    rmSync(this.folder, { recursive: true });
  }

  async restartCluster(): Promise<void> {
    await this.ask('cluster', 'down', '--name', CLUSTER);
    await this.ask('cluster', 'up', '--name', CLUSTER);
  }

  /** To another port, as its user does it. */
  async moveCluster(): Promise<void> {
    const [port] = await freePorts(1);
    await this.ask('cluster', 'up', '--name', CLUSTER, '--port', String(port));
    this.cluster = await raiseCluster(this.stage); // its client has the former port
  }

  /** As administrator, at the port that the API server has now. */
  api<T extends ApiType>(kind: new (config: Configuration) => T): T {
    const config = new KubeConfig();
    config.loadFromFile(this.cluster.kubeconfig);
    return config.makeApiClient(kind);
  }

  async tokens(): Promise<V1Secret[]> {
    return (await this.api(CoreV1Api).listNamespacedSecret(TOKENS)).items;
  }

  async revokeTokens(): Promise<void> {
    await this.api(CoreV1Api).deleteCollectionNamespacedSecret(TOKENS);
    expect(await this.tokens()).toEqual([]);
  }

  /** The lock of a killed refill is free again at once. */
  fill(...counts: string[]): Promise<string> {
    return this.ask('standby', 'up', POOL, ...counts);
  }

  async claim(...options: string[]): Promise<Claimed> {
    const answer = await this.ask('standby', 'claim', POOL, ...options, '--json');
    return JSON.parse(answer.trimEnd().split('\n').at(-1)!);
  }

  async standby(): Promise<StandbyView> {
    const { pools }: { pools: StandbyView[] } = JSON.parse(await this.ask('standby', 'status', POOL, '--json'));
    return pools[0]!;
  }

  async instances(): Promise<string[]> {
    const view = JSON.parse(await this.ask('pool', 'show', POOL, '--json')) as PoolView;
    return view.instances.map(({ name }) => name);
  }

  /** No standby node, and none in service. */
  async reset(): Promise<void> {
    await this.ask('standby', 'down', POOL, '--yes');
    await this.ask('pool', 'scale', POOL, '0');
    expect(await this.cluster.nodeNames()).toEqual([]);
  }

  async runPod(node: string): Promise<void> {
    const pod = await this.cluster.runHelloOn(node, this.workshop.images.hello.name);
    expect(await this.cluster.logOf(pod)).toBe(`${GREETING}\n`);
    await this.cluster.deletePod(pod);
  }

  /** No failed unit, the right time, and a journal that is whole and whose entries come in order. */
  async expectHealthy(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const beforeMs = Date.now();
      const guestMs = Number(await this.inside(name, 'date', '+%s%3N'));
      expect(guestMs, `${name}: clock`).toBeGreaterThan(beforeMs - CLOCK_MS);
      expect(guestMs, `${name}: clock`).toBeLessThan(Date.now() + CLOCK_MS);
      expect(await this.inside(name, 'systemctl', 'list-units', '--failed', '--plain', '--no-legend')).toBe('');
      if (!isCampaign) continue;
      await this.inside(name, 'journalctl', '--verify', '--quiet'); // fails for a damaged journal
      const lines = await this.inside(name, 'journalctl', '--quiet', '-b', '-n', '300', '-o', 'short-unix');
      const timesMs = lines
        .split('\n')
        .flatMap((line) => /^\d+\.\d+/.exec(line) ?? [])
        .map((text) => 1000 * Number(text));
      expect(timesMs.length, `${name}: journal`).toBeGreaterThan(10);
      const steps = timesMs.slice(1).map((timeMs, i) => timeMs - timesMs[i]!);
      expect(Math.min(...steps), `${name}: the journal goes back in time`).toBeGreaterThan(-CLOCK_MS);
    }
  }

  /** As many as asked for, ready, with no Node, no process, and no folder of a discarded one. */
  async expectRight({ frozen }: { frozen: number }): Promise<void> {
    const { members } = await this.standby();
    expect(members.map(({ tier, state }) => `${tier} ${state}`)).toEqual(Array(frozen).fill('frozen ready'));
    const inService = await this.instances();
    expect(await this.cluster.nodeNames()).toEqual([...inService].sort());
    const folders = readdirSync(instancesFolder(this.home, POOL)).filter((name) => !name.startsWith('.'));
    expect(folders.sort()).toEqual([...members.map(({ instance }) => instance), ...inService].sort());
  }

  async expectInService(names: string[]): Promise<void> {
    expect((await this.instances()).sort()).toEqual([...names].sort());
    for (const name of names) {
      const node = await this.cluster.awaitNode(name, 'Ready', isReady);
      expect((node.spec?.taints ?? []).map(({ key }) => key)).not.toContain(PARKED_TAINT);
    }
    expect(await this.cluster.nodeNames()).toEqual([...names].sort());
  }

  async inside(instance: string, ...command: string[]): Promise<string> {
    return (await this.ask('pool', 'exec', '--no-stdin', instance, '--', ...command)).trim();
  }

  /** kubelet's client certificate in the guest; its key is in the same file, and stays there. */
  async certificateOf(instance: string): Promise<X509Certificate> {
    const lines = '/-----BEGIN CERTIFICATE-----/,/-----END CERTIFICATE-----/p';
    return new X509Certificate(
      await this.inside(instance, 'sed', '-n', lines, '/var/lib/kubelet/pki/kubelet-client-current.pem'),
    );
  }

  folderOf(id: string): string {
    return instanceFolder(this.home, { pool: poolRef(POOL), id });
  }
}
