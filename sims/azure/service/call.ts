// sims/azure/service/call.ts: one request as the resources see it, and what they answer.

import type { Fate, World } from '../world.ts';
import type { JsonObject } from './json.ts';

/** As it came in. */
export interface Request {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string | undefined>>;
  body: JsonObject;
}

export interface Call {
  method: string;
  path: string;
  /** `group`, `scaleSet`, `instance` …: what the route's pattern names. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  apiVersion: string;
  body: JsonObject;
  ifMatch?: string;
  nowMs: number;
  /** The simulator's own address, for the URLs it gives out. */
  baseUrl: string;
  /** What a dialled fault does to the operation this request begins. */
  fate: Fate;
  /** How many times longer than usual the operation takes. */
  slowdown: number;
  /** The client did something Azure tolerates and a good client does not. */
  violate(what: string): void;
}

export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: JsonObject;
}

export type Handler = (world: World, call: Call) => Answer;
