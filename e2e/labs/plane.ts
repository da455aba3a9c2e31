// e2e/labs/plane.ts: a real Kubernetes control plane on this host, on loopback only and without root: etcd, API server, controllers.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { UserError } from '../../src/base/errors.ts';
import { newAccountKey, SERVICE_RANGE } from '../../src/cluster/local/authority.ts';
import { checkServerHealth } from '../../src/cluster/local/health.ts';
import { renderKubeconfig } from '../../src/cluster/local/kubeconfig.ts';
import {
  type ApiServerSettings,
  apiServerFlags,
  controllerFlags,
  DRAIN_CONTROLLERS,
  etcdFlags,
  etcdUrl,
} from '../../src/cluster/local/server-flags.ts';
import { type Child, startChild } from './child.ts';
import { freePorts } from './free-ports.ts';

export interface PlaneBinaries {
  etcd: string;
  apiServer: string;
  controllerManager: string;
}

export interface Plane {
  url: string;
  /** Of an administrator. */
  token: string;
  /** PEM of the authority of the server's certificate. */
  ca: string;
  /** A file with all three. */
  kubeconfig: string;
  /** The API server's key and certificate, for simulated kubelets to serve with. */
  serving: { key: string; cert: string };
  /** While the controllers are paused, new disruption budgets are not observed, and no pod is recreated or garbage-collected. */
  pauseControllers(): void;
  resumeControllers(): void;
  stop(): Promise<void>;
}

const READY_MS = 90_000;
const POLL_MS = 100;

export interface PlaneOptions {
  /** Nodes with a certificate of this authority (a PEM file) have exactly a kubelet's rights. */
  nodeAuthority?: string | undefined;
}

export async function startPlane(
  binaries: PlaneBinaries,
  clock: Clock = systemClock,
  options: PlaneOptions = {},
): Promise<Plane> {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-plane-'));
  const children: Child[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await start(binaries, folder, children, clock, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  binaries: PlaneBinaries,
  folder: string,
  children: Child[],
  clock: Clock,
  { nodeAuthority }: PlaneOptions,
): Promise<Omit<Plane, 'stop'>> {
  const [clientPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  const files = prepare(folder);
  const launch = (name: string, program: string, args: string[]): Child => {
    const child = startChild(name, [program, ...args], join(folder, `${name}.log`));
    children.push(child);
    return child;
  };

  const dataFolder = join(folder, 'etcd');
  launch('etcd', binaries.etcd, etcdFlags({ dataFolder, clientPort, peerPort, isThrowaway: true }));
  const api: ApiServerSettings = {
    port,
    etcd: { url: etcdUrl({ clientPort }) },
    accountKey: files.accountKey,
    serviceRange: SERVICE_RANGE,
    serving: { folder: files.certs },
    clientAuthority: nodeAuthority,
    tokens: files.tokens,
  };
  launch('kube-apiserver', binaries.apiServer, apiServerFlags(api));

  const url = `https://127.0.0.1:${port}`;
  const { token } = files;
  const readCertificate = () => readFileSync(join(files.certs, 'apiserver.crt'), 'utf8');
  const ca = await untilReady(children, clock, async () => {
    const certificate = readCertificate();
    const { isHealthy } = await checkServerHealth({ url: `${url}/readyz`, ca: certificate, client: { token } });
    return isHealthy ? certificate : undefined;
  });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, renderKubeconfig({ url, token, ca }), { mode: 0o600 });
  // Without the node controllers, because simulated kubelets send no heartbeats, and without DaemonSets, whose pods would wait for a scheduler.
  const controllers = launch(
    'kube-controller-manager',
    binaries.controllerManager,
    controllerFlags({ kubeconfig, accountKey: files.accountKey, controllers: DRAIN_CONTROLLERS }),
  );
  return {
    url,
    token,
    ca,
    kubeconfig,
    serving: { key: readFileSync(join(files.certs, 'apiserver.key'), 'utf8'), cert: ca },
    pauseControllers: () => controllers.signal('SIGSTOP'),
    resumeControllers: () => controllers.signal('SIGCONT'),
  };
}

function prepare(folder: string): { certs: string; accountKey: string; tokens: string; token: string } {
  const certs = join(folder, 'certs');
  mkdirSync(certs, { mode: 0o700 });
  const accountKey = join(folder, 'service-account.key');
  writeFileSync(accountKey, newAccountKey(), { mode: 0o600 });
  const token = randomBytes(24).toString('hex');
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  return { certs, accountKey, tokens, token };
}

async function untilReady<T>(children: readonly Child[], clock: Clock, look: () => Promise<T | undefined>): Promise<T> {
  const untilMs = clock.nowMs() + READY_MS;
  for (;;) {
    for (const child of children) {
      const failure = child.failure();
      if (failure) throw failure;
    }
    // Fails until the server has written its certificate and listens.
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (clock.nowMs() > untilMs) {
      throw new UserError('the API server was not ready in time', { code: 'cluster/plane-slow', exitCode: 1 });
    }
    await clock.sleep(POLL_MS);
  }
}
