// sims/azure/start.ts: a local Azure Resource Manager for Microsoft.Compute. This is the file to open first.
import type { Clock } from '../../src/base/clock.ts';
import { populate } from './populate.ts';
import type { Referee } from './referee/referee.ts';
import { checkScenario, type ScenarioInput } from './scenario.ts';
import type { ArmRequest } from './service/call.ts';
import { makeLoopbackCertificate } from './service/certificate.ts';
import { answerCloudEndpoints } from './service/cloud-endpoints.ts';
import { settle } from './service/effects.ts';
import { Dials, type Fault } from './service/faults.ts';
import { type HttpExchange, listen } from './service/listen.ts';
import { respond } from './service/respond.ts';
import { covers, grantOf, type RoleDefinition } from './service/roles.ts';
import { findRoute } from './service/routes.ts';
import type { OperationTimes } from './service/timing.ts';
import { answerLogin, type ServicePrincipal } from './service/tokens.ts';
import { VirtualClock } from './service/virtual-clock.ts';
import { keepStandbyPools } from './standby/keep-pools.ts';
import { random, type SimWorld } from './world.ts';

export interface SimOptions<C extends Clock = VirtualClock> {
  scenario: ScenarioInput;
  /** Default: a virtual one, starting on 2026-11-15T08:00Z. */
  clock?: C;
  /** With a real clock: how many times faster than Azure; hints and throttling scale with it. */
  speed?: number;
  timing?: Readonly<OperationTimes>;
  /** Checks every exchange; `seatReferee()` makes one. */
  referee?: Referee;
  /** What the client may do; without it, everything. */
  role?: RoleDefinition;
  /** The only principal that can log in with a secret; without it, any can. */
  servicePrincipal?: ServicePrincipal;
  /** 0: any free port. */
  port?: number;
  /** Where clients reach it, in another network that forwards the same port of this address to loopback; default: 127.0.0.1. */
  address?: string;
}

export interface AzureSim<C extends Clock = VirtualClock> {
  url: string;
  /** Trust this to reach `url`. */
  caPem: string;
  clock: C;
  /** A copy of the whole state, secrets included, which no client can see. */
  inspect(): SimWorld;
  /** Changes the world as another client of Azure would: scales, edits, deletes. */
  meddle(change: (world: SimWorld) => void): void;
  fail(fault: Fault): void;
  healAll(): void;
  /** What the client did that Azure tolerates but a good client avoids. */
  violations: readonly string[];
  requests: readonly HttpExchange[];
  roles: {
    /** Actions the client needed so far, sorted. */
    used(): string[];
    /** Actions of the role that nothing needed. */
    unneeded(): string[];
  };
  stop(): Promise<void>;
}

export async function startAzureSim<C extends Clock = VirtualClock>(options: SimOptions<C>): Promise<AzureSim<C>> {
  const clock = options.clock ?? (new VirtualClock() as Clock as C); // C is VirtualClock where none was given
  const scenario = checkScenario(options.scenario, 'the scenario');
  let world = populate(scenario, clock.nowMs(), options.speed, options.timing);
  const luck = { random: scenario.seed ^ 0x5f356495 };
  const dials = new Dials(() => random(luck));
  const grant = options.role && grantOf(options.role);
  const violations: string[] = [];
  const requests: HttpExchange[] = [];
  const used = new Set<string>();

  const { address = '127.0.0.1', port = 0 } = options;
  const { certPem, keyPem } = await makeLoopbackCertificate(address);
  const server = await listen({ certPem, keyPem, port, address }, (request, form) => {
    const { method, url } = request;
    const { tenantId } = world;
    const { servicePrincipal } = options;
    const login = {
      tenantId,
      baseUrl: server.url,
      nowMs: clock.nowMs(),
      ...(servicePrincipal && { servicePrincipal }),
    };
    const open = answerCloudEndpoints(request, login) ?? answerLogin(request, form, login);
    if (open) return open;
    const strike = dials.strike(method, findRoute(method, url.pathname)?.type ?? '');
    if (strike.connection === 'reset') return 'reset';
    const { answer, world: next } = respond(world, request, {
      ...strike,
      nowMs: clock.nowMs(),
      baseUrl: server.url,
      violate: (what) => violations.push(`${method} ${url.pathname}: ${what}`),
      used: (action) => used.add(action),
      ...(grant && { grant }),
    });
    world = next;
    const exchange = exchangeOf(request, answer, clock.nowMs());
    requests.push(exchange);
    options.referee?.check(exchange);
    return strike.connection === 'answer-lost' ? 'reset' : answer;
  });

  return {
    url: server.url,
    caPem: certPem,
    clock,
    inspect() {
      const copy = structuredClone(world);
      settle(copy, clock.nowMs());
      return copy;
    },
    meddle(change) {
      settle(world, clock.nowMs());
      change(world);
      keepStandbyPools(world, clock.nowMs());
    },
    fail: (fault) => dials.set(fault),
    healAll: () => dials.clear(),
    violations,
    requests,
    roles: {
      used: () => [...used].sort(),
      unneeded: () => (grant?.actions ?? []).filter((pattern) => ![...used].some((action) => covers(pattern, action))),
    },
    stop: server.stop,
  };
}

/** Without the token, because requests may be printed. */
function exchangeOf(
  { method, url, headers, body }: ArmRequest,
  answer: HttpExchange['answer'],
  atMs: number,
): HttpExchange {
  const { authorization: _, ...kept } = headers;
  return { method, path: url.pathname, query: url.search, headers: kept, body, answer, atMs };
}
