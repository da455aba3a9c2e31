// cluster/why-not-ready.ts: why is a new node not Ready, and what can the user do? From its VM, its kubelet and the cluster: all three are
// needed, because systemd reports a kubelet as active even if the API server refuses all its requests.

export interface JoinState {
  node: string;
  isVmRunning: boolean;
  /** Absent: its guest agent did not answer. */
  guest?: GuestState;
  /** Absent: the API server did not answer us. */
  cluster?: ClusterState;
}

export interface GuestState {
  /** From `systemctl show kubelet.service`. */
  loadState: string;
  activeState: string;
  /** The last exit status of the main process. */
  exitStatus?: number;
  /** The end of the kubelet's journal, oldest first. */
  lines: readonly string[];
}

export interface ClusterState {
  /** The node's CSRs since its VM was started, oldest first. */
  requests: readonly {
    name: string;
    state: 'pending' | 'approved' | 'issued' | 'denied' | 'failed';
    detail?: string;
  }[];
  node?: { isReady: boolean; message?: string };
  /** The Node existed after its VM was started, and was then deleted. */
  wasDeleted: boolean;
}

export type NotReadyReason =
  | { kind: 'ready' }
  | { kind: 'no-vm' }
  | { kind: 'plane-away' }
  | { kind: 'guest-silent' }
  | { kind: 'other-certificate'; other: string }
  | { kind: 'no-kubelet' }
  | { kind: 'no-credential' }
  | { kind: 'credential-refused' }
  | { kind: 'server-unreachable'; said: string }
  | { kind: 'kubelet-failed'; said: string }
  | { kind: 'kubelet-not-started'; state: string }
  | { kind: 'node-deleted' }
  | { kind: 'node-not-ready'; message: string }
  | { kind: 'request-denied' | 'request-failed'; name: string; detail: string }
  | { kind: 'request-pending' | 'request-approved'; name: string }
  | { kind: 'not-registered'; said: string }
  | { kind: 'request-missing'; said: string };

/** The first problem on the way to Ready. */
export function whyNotReady({ node, isVmRunning, guest, cluster }: JoinState): NotReadyReason {
  if (!isVmRunning) return { kind: 'no-vm' };
  if (!cluster) return { kind: 'plane-away' };
  if (cluster.node?.isReady) return { kind: 'ready' };
  if (!guest) return { kind: 'guest-silent' };
  const other = otherNodeIn(guest.lines, node);
  if (other !== undefined) return { kind: 'other-certificate', other };
  const logReason = reasonFromLog(guest.lines);
  if (guest.activeState !== 'active') return notActive(guest, logReason);
  if (cluster.node) return isUnreachable(logReason) ? logReason : notReady(cluster.node.message);
  if (cluster.wasDeleted) return { kind: 'node-deleted' };
  return (
    requestReason(cluster.requests.at(-1), guest.lines) ??
    logReason ?? { kind: 'request-missing', said: lastError(guest.lines) }
  );
}

function notActive(guest: GuestState, logReason: NotReadyReason | undefined): NotReadyReason {
  if (guest.loadState === 'not-found' || guest.loadState === 'masked') return { kind: 'no-kubelet' };
  if (guest.exitStatus === EXIT_CREDENTIALS) return { kind: 'no-credential' };
  if (logReason) return logReason;
  const hasRun = guest.activeState === 'failed' || (guest.exitStatus ?? 0) !== 0;
  return hasRun
    ? { kind: 'kubelet-failed', said: lastError(guest.lines) }
    : { kind: 'kubelet-not-started', state: short(guest.activeState) };
}

/** systemd's exit status if it cannot set up credentials. It ignores a credential that the VM was not started with. */
const EXIT_CREDENTIALS = 243;

function notReady(message = ''): NotReadyReason {
  return { kind: 'node-not-ready', message: short(message) };
}

function requestReason(
  request: ClusterState['requests'][number] | undefined,
  lines: readonly string[],
): NotReadyReason | undefined {
  if (!request) return undefined;
  const { name, state, detail = '' } = request;
  if (state === 'denied' || state === 'failed') return { kind: `request-${state}`, name, detail: short(detail) };
  if (state === 'pending' || state === 'approved') return { kind: `request-${state}`, name };
  return { kind: 'not-registered', said: lastError(lines) };
}

/** In these messages the API server's authorizer and admission name the node of kubelet's certificate. */
const TAKEN_FOR = [
  /User \\?"system:node:([^"\\\s]{1,253})\\?"/,
  /node '([^'\s]{1,253})' (?:cannot|is not allowed to) /,
  /can only create a node CSR with CN=system:node:([\w.-]{1,253})/,
];

function otherNodeIn(lines: readonly string[], node: string): string | undefined {
  return lines
    .filter((line) => /forbidden|cannot|can only/i.test(line))
    .flatMap((line) => TAKEN_FOR.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined) ?? [])
    .findLast((name) => name !== node);
}

const LOG_PATTERNS: readonly (readonly [RegExp, (line: string) => NotReadyReason])[] = [
  [
    /unable to load bootstrap kubeconfig|bootstrap-kubeconfig: no such file|status=243\/CREDENTIALS|Failed to set up credentials/,
    () => ({ kind: 'no-credential' }),
  ],
  [/\bUnauthorized\b/, () => ({ kind: 'credential-refused' })],
  [
    /:6443\b.*(?:dial tcp|connection refused|no route to host|network is unreachable|TLS handshake timeout|i\/o timeout|x509: )/,
    (line) => ({ kind: 'server-unreachable', said: short(messageOf(line)) }),
  ],
];

function reasonFromLog(lines: readonly string[]): NotReadyReason | undefined {
  for (const line of lines.toReversed()) {
    const found = LOG_PATTERNS.find(([pattern]) => pattern.test(line));
    if (found) return found[1](line);
  }
  return undefined;
}

const isUnreachable = (reason: NotReadyReason | undefined): reason is NotReadyReason =>
  reason?.kind === 'server-unreachable';

/** klog's errors begin with E or F; without one, the last line. */
function lastError(lines: readonly string[]): string {
  const error = lines.findLast((line) => /(?:^|\s)[EF]\d{4} \d\d:\d\d:\d\d|\berror\b|\bfailed\b/i.test(line));
  return short(messageOf(error ?? lines.at(-1) ?? ''));
}

/** Without the timestamp, source location and quoting of a log line. */
function messageOf(line: string): string {
  return line.replace(/^.*?[A-Z]\d{4} [\d:.]+\s+\d+ [\w.]+:\d+\] /, '').replaceAll('\\"', '"');
}

const MOST_CHARACTERS = 300;

function short(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length <= MOST_CHARACTERS ? plain : `${plain.slice(0, MOST_CHARACTERS)}…`;
}

/** `why` has no full stop, like error messages; `next` is an instruction. */
export function explain(reason: NotReadyReason, node: string): { why: string; next: string } {
  const journal = `read its log with \`headstart pool exec ${node} -- journalctl -u kubelet -b\``;
  const restart = `\`headstart pool stop ${node}\` and \`headstart pool start ${node}\``;
  const detail = (text: string) => (text === '' ? '' : `: ${text}`);
  switch (reason.kind) {
    case 'ready':
      return {
        why: 'the API server shows it as Ready, but its kubelet has not reported since the VM was started',
        next: 'check again in a moment with `headstart cluster status`',
      };
    case 'no-vm':
      return { why: `the VM of ${node} is not running`, next: `start it with \`headstart pool start ${node}\`` };
    case 'plane-away':
      return { why: 'the API server of the cluster does not answer', next: 'run `headstart cluster up` again' };
    case 'guest-silent':
      return {
        why: `the VM of ${node} runs, but its guest agent does not answer`,
        next: `read its console with \`headstart pool logs ${node}\``,
      };
    case 'other-certificate':
      return {
        why: `the kubelet of ${node} uses the certificate of ${reason.other}, so the API server refuses its requests: its image was captured with /var/lib/kubelet/pki in it`,
        next: `make the image again with \`headstart prototype run\`, which removes the donor's certificate, then \`headstart pool reimage ${node}\``,
      };
    case 'no-kubelet':
      return {
        why: `there is no kubelet on ${node}: its image has none, or the bootstrap has not installed it yet`,
        next: `read its console with \`headstart pool logs ${node}\``,
      };
    case 'no-credential':
      return {
        why: `the kubelet of ${node} has no bootstrap kubeconfig`,
        next: `restart the VM (${restart}), and check that kubelet.service has LoadCredential=bootstrap-kubeconfig`,
      };
    case 'credential-refused':
      return {
        why: `the API server does not accept the credential of ${node} (its bootstrap token has expired or was revoked)`,
        next: `give it a new one by restarting the VM: ${restart}`,
      };
    case 'server-unreachable':
      if (reason.said.includes('x509: ')) {
        return {
          why: `${node} does not trust the certificate of the API server, or the API server does not trust its certificate${detail(reason.said)}`,
          next: `if the cluster was created again since: give its pool new user data (\`headstart cluster node-config\`), then \`headstart pool reimage ${node}\``,
        };
      }
      return {
        why: `${node} cannot reach the API server${detail(reason.said)}`,
        next: 'check that `headstart cluster status` is healthy, and which server address kubelet has',
      };
    case 'kubelet-failed':
      return { why: `the kubelet of ${node} fails${detail(reason.said)}`, next: journal };
    case 'kubelet-not-started':
      return {
        why: `the kubelet of ${node} has not been started (${reason.state || 'no state'})`,
        next: `see what it waits for with \`headstart pool exec ${node} -- systemctl list-jobs\``,
      };
    case 'node-deleted':
      return {
        why: `the Node ${node} was deleted while its VM was starting, and its kubelet has not registered again`,
        next: `restart the VM: ${restart}`,
      };
    case 'node-not-ready':
      return { why: `${node} has registered but is not Ready${detail(reason.message)}`, next: journal };
    case 'request-denied':
      return {
        why: `the request of ${node} for a certificate was denied (${reason.name})${detail(reason.detail)}`,
        next: `delete it with \`kubectl delete csr ${reason.name}\`, then restart the VM: ${restart}`,
      };
    case 'request-failed':
      return {
        why: `the request of ${node} for a certificate could not be signed (${reason.name})${detail(reason.detail)}`,
        next: 'check that `headstart cluster status` is healthy',
      };
    case 'request-pending':
      return {
        why: `the request of ${node} for a certificate is not approved (${reason.name})`,
        next: `check that \`headstart cluster status\` is healthy, or approve it with \`kubectl certificate approve ${reason.name}\``,
      };
    case 'request-approved':
      return {
        why: `the request of ${node} for a certificate is approved but not signed (${reason.name})`,
        next: 'check that `headstart cluster status` is healthy',
      };
    case 'not-registered':
      return { why: `${node} has its certificate but has not registered${detail(reason.said)}`, next: journal };
    case 'request-missing':
      return {
        why: `the kubelet of ${node} runs but has not requested a certificate${detail(reason.said)}`,
        next: journal,
      };
  }
}
