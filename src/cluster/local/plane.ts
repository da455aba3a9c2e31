// cluster/local/plane.ts: a real Kubernetes control plane on this host, on loopback only and without root: etcd, API server, controllers.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { type Child, startChild } from './child.ts';
import { freePorts } from './ports.ts';

export interface PlaneBinaries {
  etcd: string;
  apiServer: string;
  controllerManager: string;
}

export interface Plane {
  url: string;
  /** Of an administrator. */
  token: string;
  /** PEM: what the server's certificate is checked against. */
  ca: string;
  /** A file with all three. */
  kubeconfig: string;
  /** The API server's own key and certificate, which a simulated kubelet may serve with. */
  serving: { key: string; cert: string };
  /** While they are paused nobody observes a new disruption budget, and nothing is brought back or collected. */
  pauseControllers(): void;
  resumeControllers(): void;
  stop(): Promise<void>;
}

/**
 * Those that drains, owners and namespaces need. Not the node lifecycle, as simulated kubelets send no heartbeats, and not
 * DaemonSets, whose pods would wait for a scheduler.
 */
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'job-controller',
  'garbage-collector-controller',
  'disruption-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
];
const READY_MS = 90_000;
const POLL_MS = 100;

export interface PlaneOptions {
  /** Nodes that come with a certificate of this authority (a PEM file) may do what a kubelet may, and no more. */
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
  const [client, peer, secure] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const files = prepare(folder);
  const launch = (name: string, program: string, args: string[]): Child => {
    const child = startChild(name, [program, ...args], join(folder, `${name}.log`));
    children.push(child);
    return child;
  };

  launch('etcd', binaries.etcd, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://${client}`,
    `--advertise-client-urls=http://${client}`,
    `--listen-peer-urls=http://${peer}`,
    `--initial-advertise-peer-urls=http://${peer}`,
    `--initial-cluster=default=http://${peer}`,
    // Nothing here has to survive a power cut.
    '--unsafe-no-fsync',
  ]);
  launch('kube-apiserver', binaries.apiServer, [
    `--etcd-servers=http://${client}`,
    `--cert-dir=${files.certs}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${secure!.split(':')[1]}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.accountKey}`,
    `--service-account-signing-key-file=${files.accountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    ...(nodeAuthority === undefined
      ? ['--authorization-mode=RBAC']
      : [
          '--authorization-mode=Node,RBAC',
          '--enable-admission-plugins=NodeRestriction',
          `--client-ca-file=${nodeAuthority}`,
        ]),
    `--token-auth-file=${files.tokens}`,
    '--endpoint-reconciler-type=none',
    '--profiling=false',
    // Helper pods are privileged; which namespaces may have them is what the tests of rights are about.
    '--allow-privileged=true',
  ]);

  const url = `https://${secure}`;
  const { token } = files;
  const readCertificate = () => readFileSync(join(files.certs, 'apiserver.crt'), 'utf8');
  const ca = await untilReady(children, clock, async () => {
    const certificate = readCertificate();
    return (await isReady(url, certificate, token)) ? certificate : undefined;
  });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, renderKubeconfig({ url, token, ca }), { mode: 0o600 });
  const controllers = launch('kube-controller-manager', binaries.controllerManager, [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${files.accountKey}`,
    `--controllers=${CONTROLLERS.join(',')}`,
  ]);
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

export function renderKubeconfig({
  url,
  token,
  ca,
  namespace,
}: Pick<Plane, 'url' | 'token' | 'ca'> & { namespace?: string }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'local', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'local', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'local', ...(namespace && { namespace }) } }],
    'current-context': 'local',
  });
}

function prepare(folder: string): { certs: string; accountKey: string; tokens: string; token: string } {
  const certs = join(folder, 'certs');
  mkdirSync(certs, { mode: 0o700 });
  const accountKey = join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(accountKey, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
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
    // Until the server has written its certificate and listens, every look fails.
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (clock.nowMs() > untilMs) {
      throw new UserError('the API server was not ready in time', { code: 'cluster/plane-slow', exitCode: 1 });
    }
    await clock.sleep(POLL_MS);
  }
}

function isReady(url: string, ca: string, token: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asking = request(
      `${url}/readyz`,
      { ca, headers: { authorization: `Bearer ${token}` }, timeout: 5_000 },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    asking.once('timeout', () => asking.destroy());
    asking.once('error', reject);
    asking.end();
  });
}
