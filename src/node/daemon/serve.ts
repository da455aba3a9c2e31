// node/daemon/serve.ts: the daemon with everything around it: what can wake it, and who is told. On the way to kubelet there is only what
// has to be; all others hear of it afterwards.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { FLAGS_PATH, OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import { readCloneNote } from '../observe/clone.ts';
import { METRICS_PATH, STATUS_PATH, statusFiles } from '../status/files.ts';
import type { Log } from '../status/log.ts';
import { renderMetrics } from '../status/metrics.ts';
import { headline, type NodeStatus, statusOf } from '../status/node-status.ts';
import { notifySystemd } from '../status/notify.ts';
import { createStatusPublisher } from '../status/publish.ts';
import { isMarkedReady, markReady } from '../status/ready-mark.ts';
import { renderSteps, STEPS_PATH, type StepRecorder } from '../status/steps-file.ts';
import { watchOwnNode } from '../triggers/node-watch.ts';
import { seedOf } from '../triggers/poll.ts';
import { listenOnSocket } from '../triggers/socket.ts';
import { awaitTurn } from './await-turn.ts';
import { forgetDonor } from './forget-donor.ts';
import { createDaemon } from './loop.ts';
import { phaseStatusOf } from './machine.ts';
import { contextOf, type OpenOptions, openNode } from './open-node.ts';
import { createPlatformReporter } from './platform-reporter.ts';
import { answerRequests } from './requests.ts';
import type { DaemonState } from './state.ts';
import { createSystemdNotifier } from './systemd-notifier.ts';
import { warmUp } from './warm-up.ts';

export interface ServeOptions extends OpenOptions {
  env: Readonly<Record<string, string | undefined>>;
  log: Log;
  steps: StepRecorder;
  /** Calls back for every SIGHUP. */
  onHangUp(listener: () => void): void;
  /** Told whenever it changes. */
  onStatus(status: NodeStatus): void;
  /** Nothing is decided from what is on the node, and nothing changed, before it is there. */
  waitFor?: string | undefined;
  /** Of the wire server, where a test stands in for it. */
  wireServer?: string | undefined;
}

/** Until `signal`. */
export async function serveNode(
  { env, log, steps, onHangUp, onStatus, waitFor, wireServer, ...options }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const meanwhile = () => warmUp(() => contextOf(options.root));
  const onLong = () => log('warning', `the machine is not set up yet: there is no ${waitFor}`);
  await steps.time('turn', () => awaitTurn({ file: waitFor, clock: systemClock, signal, meanwhile, onLong }));
  // Not before: whose disk this is belongs to what is remembered of everything that is done.
  const opened = openNode(options);
  const { root, clock, run, store, node, source } = opened;
  const clone = readCloneNote(root);
  if (clone) log('info', clone.why.detail, { code: clone.why.code });
  const isForeign = await forgetDonor(store, clone, log).catch((error: unknown) => {
    // Whose it is cannot be told: on a clone it is not ours to start from.
    if (error instanceof UserError) return true;
    throw error;
  });
  const startMs = clock.nowMs() - performance.now();
  const steadyMs = () => startMs + performance.now();
  const about = {
    source: source.name,
    ...(clone && { clone: clone.why }),
    daemon: { pid: process.pid, startedAt: new Date(startMs).toISOString() },
  };
  const statusNow = (state: DaemonState): NodeStatus =>
    statusOf(state, { ...about, skewMs: clock.nowMs() - steadyMs() });
  const files = statusFiles(root);
  const over = new AbortController();
  const besides = AbortSignal.any([signal, over.signal]);
  const systemd = createSystemdNotifier({ notify: notifySystemd(run, env), clock, log, signal: besides });
  const cluster = createStatusPublisher({
    node,
    clock,
    random: Math.random,
    onTrouble: (message) => log('info', `the Node is not told yet: ${message}`),
  });
  const platform = createPlatformReporter({ root, platform: options.platform, url: wireServer, clock, log, signal });

  function writeFiles(status: NodeStatus): void {
    try {
      files.write(
        STATUS_PATH,
        `${JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...status }, null, 2)}\n`,
      );
      files.write(METRICS_PATH, renderMetrics(status, steps.steps().steps));
      files.write(STEPS_PATH, renderSteps(steps.steps()));
    } catch (error) {
      log('warning', `the status could not be written: ${(error as Error).message}`);
    }
  }

  const daemon = createDaemon({
    ...opened,
    steadyMs,
    random: Math.random,
    seed: seedOf(identityOf(root)),
    isForeign,
    hasOwnFiles: () => clone === undefined && KUBELET_FILES.every((path) => existsSync(join(root, path))),
    log,
    steps,
    async onReady(state) {
      markReady(root);
      await systemd.ready(headline(statusNow(state)));
      platform.ready();
      // This step is over only now, and a boot is looked at with it.
      setImmediate(() => writeFiles(statusNow(daemon.state())));
    },
    onNews(state) {
      const status = statusNow(state);
      const { phase, code, detail } = phaseStatusOf(state);
      const isBad = phase === 'Blocked' || phase === 'Degraded' || phase === 'RolledBack';
      log(isBad ? 'warning' : 'info', `${phase}: ${detail}`, { code, generation: status.active?.generation });
      writeFiles(status);
      onStatus(status);
      systemd.news(headline(status), { isOnTheWay: !state.isReady && !isBad });
      cluster.publish(status);
      platform.news(status);
    },
  });

  const socket = await listenOnSocket(
    root,
    answerRequests(daemon, () => statusNow(daemon.state())),
  ).catch((error: Error) => {
    if (error instanceof UserError) throw error;
    log('error', `nobody can speak to the daemon: ${error.message}`);
  });
  onHangUp(() => daemon.signal('SIGHUP'));
  const others = [
    cluster.run(besides),
    watchOwnNode(
      {
        node,
        clock,
        random: Math.random,
        onAnnouncement: (announcement) => daemon.announce(announcement),
        // A Node that was deleted and registered anew knows nothing of us.
        onNewNode: () => cluster.publish(statusNow(daemon.state())),
        onTrouble: (message) => log('info', `the Node is not watched yet: ${message}`),
      },
      besides,
    ),
  ].map((other) => other.catch((error: Error) => log('error', `unexpected: ${error.stack ?? error.message}`)));
  try {
    // systemd starts kubelet after us: what is put right first may restart it, and would wait for itself.
    if (isMarkedReady(root)) await systemd.ready('started again on a node that was configured in this boot');
    const running = daemon.run(signal);
    if (daemon.state().slots.active === undefined) await warmUp(opened.context);
    await running;
    writeFiles(statusNow(daemon.state()));
  } finally {
    over.abort();
    await socket?.close();
    await Promise.all(others);
    await systemd.end();
  }
}

/** Without them kubelet would start with what the image has. */
const KUBELET_FILES = [OWN_CONFIG_PATH, FLAGS_PATH];

/** The same for the life of the instance, and another one for every other. */
function identityOf(root: string): string {
  for (const path of ['sys/class/dmi/id/product_uuid', 'etc/machine-id']) {
    try {
      return readFileSync(join(root, path), 'utf8').trim().toLowerCase();
    } catch {
      // not every machine has both
    }
  }
  return 'unknown';
}
