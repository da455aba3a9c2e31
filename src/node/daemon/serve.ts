// node/daemon/serve.ts: runs the daemon with its triggers and its reports: socket, signals, systemd, platform, Node.
// Only what is necessary happens before kubelet starts; all other reports come later.
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
import { standbyMemory } from './standby/memory.ts';
import type { DaemonState } from './state.ts';
import { createSystemdNotifier } from './systemd-notifier.ts';
import { warmUp } from './warm-up.ts';

export interface ServeOptions extends OpenOptions {
  env: Readonly<Record<string, string | undefined>>;
  log: Log;
  steps: StepRecorder;
  /** Calls back for every SIGHUP. */
  onHangUp(listener: () => void): void;
  /** Called whenever the status changes. */
  onStatus(status: NodeStatus): void;
  /** A file: the daemon neither reads nor changes the node before it exists. */
  waitFor?: string | undefined;
  /** URL of the wire server; set by tests. */
  wireServer?: string | undefined;
}

/** Ends after `signal`. */
export async function serveNode(
  { env, log, steps, onHangUp, onStatus, waitFor, wireServer, ...options }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const meanwhile = () => warmUp(() => contextOf(options.root));
  const onLong = () => log('warning', `still waiting for ${waitFor}: the machine is not set up yet`);
  await steps.time('turn', () => awaitTurn({ file: waitFor, clock: systemClock, signal, meanwhile, onLong }));
  // Only after the turn: openNode reads the VM id that the clone check has written.
  const opened = openNode(options);
  const { root, clock, run, store, node, source } = opened;
  const clone = readCloneNote(root);
  if (clone) log('info', clone.why.detail, { code: clone.why.code });
  const isForeign = await forgetDonor(store, clone, log).catch((error: unknown) => {
    // The owner of an unreadable state is unknown; on a clone it must count as the donor's.
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
  const ended = new AbortController();
  const background = AbortSignal.any([signal, ended.signal]);
  const systemd = createSystemdNotifier({ notify: notifySystemd(run, env), clock, log, signal: background });
  const cluster = createStatusPublisher({
    node,
    clock,
    random: Math.random,
    onTrouble: (message) => log('info', `could not report to the Node yet: ${message}`),
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

  // Marked ready: kubelet was started in this boot, whatever the file of an interrupted join says.
  const standby = standbyMemory({ root, bootId: readBootId(), skewMs: () => clock.nowMs() - steadyMs(), log });
  if (isMarkedReady(root)) standby.save(undefined);
  const claimed = new AbortController();
  let isWatchingForResume = false;

  async function watchStandby(): Promise<void> {
    if (isWatchingForResume) return;
    isWatchingForResume = true;
    const { watchForResume } = await import('../triggers/resume-watch.ts'); // only in standby
    const onResume = (sleptMs: number) => {
      log('info', `resumed after ${Math.round(sleptMs / 1000)} s: reading the metadata at once`);
      daemon.resumed();
    };
    await watchForResume({ clock, steadyMs, onResume }, AbortSignal.any([background, claimed.signal]));
  }

  const daemon = createDaemon({
    ...opened,
    standby,
    steadyMs,
    random: Math.random,
    seed: seedOf(identityOf(root)),
    isForeign,
    hasOwnFiles: () => clone === undefined && KUBELET_FILES.every((path) => existsSync(join(root, path))),
    log,
    steps,
    async onPrepared(state) {
      // The boot goes on: without its mark systemd skips kubelet. The platform waits for a report in standby, too.
      await systemd.ready(headline(statusNow(state)));
      platform.ready();
      setImmediate(() => writeFiles(statusNow(daemon.state())));
    },
    async onReady(state) {
      markReady(root);
      if (state.standby) {
        claimed.abort();
        const { joinFromStandby } = await import('./standby/start-kubelet.ts'); // only after standby
        await joinFromStandby(state.standby, { run, clock, steadyMs, steps, log, signal });
      } else platform.ready();
      await systemd.ready(headline(statusNow(state)));
      // The 'ready' step ends only after this callback, and the steps file must contain it.
      setImmediate(() => writeFiles(statusNow(daemon.state())));
    },
    onNews(state) {
      const status = statusNow(state);
      const { phase, code, detail } = phaseStatusOf(state);
      const isBad = phase === 'Blocked' || phase === 'Degraded' || phase === 'RolledBack';
      log(isBad ? 'warning' : 'info', `${phase}: ${detail}`, { code, generation: status.active?.generation });
      writeFiles(status);
      onStatus(status);
      systemd.news(headline(status), { delaysKubelet: !state.isReady && !isBad });
      platform.news(status);
      if (status.standby && !status.isReady) void watchStandby();
      // Without a Node every attempt fails, and the pauses between them would grow.
      else cluster.publish(status);
    },
  });

  const socket = await listenOnSocket(
    root,
    answerRequests(daemon, () => statusNow(daemon.state())),
  ).catch((error: Error) => {
    if (error instanceof UserError) throw error;
    log('error', `cannot listen on the socket: ${error.message}`);
  });
  onHangUp(() => daemon.signal('SIGHUP'));
  const backgroundTasks = [
    cluster.run(background),
    watchOwnNode(
      {
        node,
        clock,
        random: Math.random,
        onAnnouncement: (announcement) => daemon.announce(announcement),
        // A Node that was deleted and registered again has lost our annotations.
        onNewNode: () => cluster.publish(statusNow(daemon.state())),
        onTrouble: (message) => log('info', `could not watch the Node yet: ${message}`),
      },
      background,
    ),
  ].map((other) => other.catch((error: Error) => log('error', `unexpected: ${error.stack ?? error.message}`)));
  try {
    // kubelet is ordered after this unit. Recovery may restart kubelet, which would wait for this unit forever.
    if (isMarkedReady(root)) await systemd.ready('restarted on a node that was configured in this boot');
    const running = daemon.run(signal);
    if (daemon.state().slots.active === undefined) await warmUp(opened.context);
    await running;
    writeFiles(statusNow(daemon.state()));
  } finally {
    ended.abort();
    await socket?.close();
    await Promise.all(backgroundTasks);
    await systemd.end();
  }
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Without these files kubelet would start with the configuration of the image. */
const KUBELET_FILES = [OWN_CONFIG_PATH, FLAGS_PATH];

/** Constant for the life of the instance, and different for every instance. */
function identityOf(root: string): string {
  for (const path of ['sys/class/dmi/id/product_uuid', 'etc/machine-id']) {
    try {
      return readFileSync(join(root, path), 'utf8').trim().toLowerCase();
    } catch {
      // try the next file
    }
  }
  return 'unknown';
}
