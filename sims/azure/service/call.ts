// sims/azure/service/call.ts: one request as the resources see it, and their answer.

import type { Fate, SimWorld } from '../world.ts';
import type { JsonObject } from './json.ts';
import type { Grant } from './roles.ts';

/** As it came in. */
export interface ArmRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string | undefined>>;
  body: JsonObject;
}

export interface ArmCall {
  method: string;
  path: string;
  /** `group`, `scaleSet`, `instance` …: what the route's pattern names. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  apiVersion: string;
  body: JsonObject;
  ifMatch?: string;
  ifNoneMatch?: string;
  nowMs: number;
  /** The simulator's address, for the URLs it returns. */
  baseUrl: string;
  /** The effect of a configured fault on the operation that this request begins. */
  fate: Fate;
  /** How many times longer than usual the operation takes. */
  slowdown: number;
  /** Without a role everything is allowed. */
  grant?: Grant;
  /** The client did something that Azure tolerates but a good client avoids. */
  violate(what: string): void;
}

export interface ArmAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** null: the literal, as a recorded deletion of a standby pool has it. */
  body?: JsonObject | null;
}

export type Handler = (world: SimWorld, call: ArmCall) => ArmAnswer;
