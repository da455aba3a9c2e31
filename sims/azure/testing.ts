// sims/azure/testing.ts: the simulator without its server, for tests: requests are function calls and time is a number.

import { populate } from './populate.ts';
import { checkScenario, type ScenarioInput } from './scenario.ts';
import { API_VERSIONS } from './service/api-versions.ts';
import type { ArmAnswer } from './service/call.ts';
import { type Strike, UNHARMED } from './service/faults.ts';
import { isObject, type Json, type JsonObject, stringAt } from './service/json.ts';
import { respond } from './service/respond.ts';
import type { Grant } from './service/roles.ts';
import { findRoute } from './service/routes.ts';
import type { SimInstance, SimScaleSet, SimWorld } from './world.ts';

export interface Ask {
  body?: JsonObject;
  query?: string;
  ifMatch?: string;
  headers?: Readonly<Record<string, string>>;
  apiVersion?: string;
  strike?: Partial<Strike>;
  grant?: Grant;
  token?: string | null;
}

export class Bench {
  world: SimWorld;
  nowMs = Date.parse('2026-11-15T08:00:00Z');
  readonly violations: string[] = [];
  readonly used: string[] = [];

  constructor(scenario: Partial<ScenarioInput> = {}) {
    const full = { cluster: 'demo', resourceGroup: 'demo', scaleSets: [{ name: 'pool1', instances: 2 }], ...scenario };
    this.world = populate(checkScenario(full, 'the scenario'), this.nowMs);
  }

  /** `path` after `…/providers/Microsoft.Compute/`, or a whole one. */
  urlOf(path: string): URL {
    const group = `/subscriptions/${this.world.subscriptionId}/resourceGroups/demo/providers/Microsoft.Compute`;
    const full = path.startsWith('/') || path.startsWith('https:') ? path : `${group}/${path}`;
    return new URL(full, 'https://127.0.0.1:1');
  }

  ask(method: string, path: string, ask: Ask = {}): ArmAnswer {
    const url = this.urlOf(path);
    const provider = findRoute(method, url.pathname)?.route.provider ?? 'compute';
    if (!url.searchParams.has('api-version'))
      url.searchParams.set('api-version', ask.apiVersion ?? API_VERSIONS[provider]);
    for (const [name, value] of new URLSearchParams(ask.query)) url.searchParams.set(name, value);
    const token = ask.token === undefined ? 'test' : ask.token;
    const { answer, world } = respond(
      this.world,
      {
        method,
        url,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(ask.ifMatch !== undefined && { 'if-match': ask.ifMatch }),
          ...ask.headers,
        },
        body: structuredClone(ask.body ?? {}),
      },
      {
        ...UNHARMED,
        ...ask.strike,
        nowMs: this.nowMs,
        baseUrl: 'https://127.0.0.1:1',
        violate: (what) => this.violations.push(what),
        used: (action) => this.used.push(action),
        ...(ask.grant && { grant: ask.grant }),
      },
    );
    this.world = world;
    return structuredClone(answer); // a test may change what it read
  }

  /** The same, and polls the operation as its hints say until it ends. Returns the last status body. */
  askAndWait(method: string, path: string, ask: Ask = {}): ArmAnswer {
    const first = this.ask(method, path, ask);
    const url = first.headers?.['azure-asyncoperation'];
    if (url === undefined) return first;
    for (let hint = first.headers?.['retry-after']; ; ) {
      this.nowMs += Number(hint ?? 0) * 1000;
      const poll = this.ask('GET', url);
      if (poll.body?.status !== 'InProgress') return poll;
      hint = poll.headers?.['retry-after'];
    }
  }

  set(): SimScaleSet {
    const [set] = Object.values(this.world.scaleSets);
    if (!set) throw new Error('the scenario has no scale set');
    return set;
  }

  instances(): SimInstance[] {
    return Object.values(this.world.instances);
  }
}

/** Status and error code of an answer. */
export function codeOf(answer: ArmAnswer): [number, string | undefined] {
  return [answer.status, stringAt(answer.body, 'error', 'code')];
}

/** A snapshot, a gallery, a definition and version 2026.11.15 of it, made the usual way. */
export function withVersion(bench: Bench, more: { definition?: JsonObject; publishing?: JsonObject } = {}): string {
  const { location } = bench.set();
  const sourceResourceId = bench.instances()[0]?.osDiskId ?? '';
  bench.askAndWait('PUT', 'snapshots/snap', {
    body: { location, properties: { creationData: { createOption: 'Copy', sourceResourceId } } },
  });
  bench.askAndWait('PUT', 'galleries/SIG_demo', { body: { location } });
  bench.askAndWait('PUT', 'galleries/SIG_demo/images/proto', {
    body: { location, properties: { ...DEFINITION, ...more.definition } },
  });
  const version = 'galleries/SIG_demo/images/proto/versions/2026.11.15';
  bench.askAndWait('PUT', version, { body: versionBody(bench, more.publishing) });
  return `/subscriptions/${bench.world.subscriptionId}/resourceGroups/demo/providers/Microsoft.Compute/${version}`;
}

export const DEFINITION = {
  osType: 'Linux',
  osState: 'Generalized',
  hyperVGeneration: 'V2',
  identifier: { publisher: 'headstart', offer: 'demo', sku: 'pool1' },
};

export function versionBody(bench: Bench, publishing: JsonObject = {}): JsonObject {
  const { location } = bench.set();
  const id = `/subscriptions/${bench.world.subscriptionId}/resourceGroups/demo/providers/Microsoft.Compute/snapshots/snap`;
  return {
    location,
    properties: {
      publishingProfile: { replicaCount: 3, targetRegions: [{ name: location }], ...publishing },
      storageProfile: { osDiskImage: { source: { id } } },
    },
  };
}

export const BOOTSTRAP = '#cloud-config\nruncmd: [join]\n';

/** A pool with three extensions, two of them with secrets. */
export const withExtensions = () =>
  new Bench({
    scaleSets: [
      {
        name: 'pool1',
        instances: 2,
        customData: BOOTSTRAP,
        extensions: [
          {
            name: 'cse',
            publisher: 'Microsoft.Azure.Extensions',
            type: 'CustomScript',
            protectedSettings: { key: 's3cret' },
          },
          { name: 'health', publisher: 'Microsoft.ManagedServices', type: 'ApplicationHealthLinux', after: ['cse'] },
          {
            name: 'billing',
            publisher: 'Microsoft.AKS',
            type: 'Compute.AKS.Linux.Billing',
            protectedSettings: { a: 'b' },
          },
        ],
      },
    ],
  });

export const NO_MARKETPLACE = { publisher: null, offer: null, sku: null, version: null };

export const patchProfile = (profile: JsonObject) => ({ body: { properties: { virtualMachineProfile: profile } } });

/** The same document with the keys of every object in reverse order, as another client may send it. */
export function backwards(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => backwards(item) ?? null);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, backwards(inner)]),
  );
}
