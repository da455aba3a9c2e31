// cluster/local/testing.ts: in-memory dependencies of a control plane: processes, ports and health that a test controls.
import { basename } from 'node:path';
import { type FakeClock, fakeClock } from '../../base/fake-clock.ts';
import type { PlaneDeps } from './plane-deps.ts';
import { EGRESS, type Server } from './server-flags.ts';
import type { Orphan, RunningServer } from './server-processes.ts';

export interface FakePlane extends PlaneDeps {
  clock: FakeClock;
  /** By folder and name. */
  running: Map<string, RunningServer>;
  /** Starts and stops, in order. */
  actions: string[];
  takenPorts: Set<number>;
  /** Servers that exit right after the start, with this reason. */
  endsAtOnce: Map<Server, string>;
  /** Servers that run but never become healthy. */
  neverHealthy: Set<Server>;
  /** Servers that ignore SIGTERM. */
  deaf: Set<Server>;
  orphans: Orphan[];
  joined: number;
  /** Missing role bindings. */
  unbound: string[];
  free: number;
  /** Called before each effect; throws to simulate a kill at that point. */
  before: (effect: string) => void;
}

export function fakePlane(): FakePlane {
  const clock = fakeClock();
  let pid = 100;
  const key = (folder: string, server: string) => `${folder} ${server}`;
  const world: FakePlane = {
    clock,
    running: new Map(),
    actions: [],
    takenPorts: new Set(),
    endsAtOnce: new Map(),
    neverHealthy: new Set(),
    deaf: new Set(),
    orphans: [],
    joined: 0,
    unbound: ['headstart:node-bootstrapper'],
    free: 2 ** 40,
    before: () => {},
    random: () => 0,
    freeBytes: async () => world.free,
    isPortFree: async (port) => !world.takenPorts.has(port),
    processes: {
      find: (folder, server) => world.running.get(key(folder, server)),
      start(folder, argv, { argv0 = argv[0] }) {
        const server = basename(argv0) as Server;
        world.before(`start ${server}`);
        world.actions.push(`start ${server}`);
        const why = world.endsAtOnce.get(server);
        const running = { pid: ++pid, sinceMs: clock.nowMs(), argv: [argv0, ...argv.slice(1)] };
        if (why === undefined) world.running.set(key(folder, server), running);
        return () => why;
      },
      findOrphans: () => world.orphans,
      signal(folder, server, signal) {
        if (!world.running.has(key(folder, server)) || signal === 'SIGCONT') return;
        if (signal === 'SIGTERM' && world.deaf.has(server as Server)) return;
        world.actions.push(`${signal === 'SIGKILL' ? 'kill' : 'stop'} ${server}`);
        world.running.delete(key(folder, server));
      },
    },
    checkServerHealth: async (probe) => {
      const asked = [...world.running.entries()].find(([at, { argv }]) =>
        'url' in probe
          ? argv.some((flag) => isPortOf(flag, new URL(probe.url).port))
          : at === key(probe.folder, EGRESS),
      );
      const server = asked?.[0].split(' ').at(-1) as Server | undefined;
      if (!server) return { isHealthy: false, why: 'does not answer (ECONNREFUSED)' };
      return world.neverHealthy.has(server) ? { isHealthy: false, why: 'answers 500 (etcd)' } : { isHealthy: true };
    },
    letNodesJoin: async () => {
      world.before('join');
      world.joined++;
      world.unbound = [];
    },
    bindingsToMake: async () => world.unbound,
    egressCommand: ({ home, name }) => ['/usr/bin/node', 'egress.ts', home, name],
  };
  return world;
}

function isPortOf(flag: string, port: string): boolean {
  return flag === `--secure-port=${port}` || flag === `--listen-client-urls=https://127.0.0.1:${port}`;
}
