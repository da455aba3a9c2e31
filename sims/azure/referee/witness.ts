// sims/azure/referee/witness.ts: the second referee: does an exchange look like the recorded ones of its kind? It covers what the specification leaves open.
import { isObject, type Json, stringAt } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { findRoute, ROUTES } from '../service/routes.ts';
import type { RecordedExchange } from './recordings.ts';
import { addToShape, type Shape, type ShapeDifference, shapeDifferences } from './shape.ts';

export interface Testimony {
  /** Route and status. */
  operation: string;
  /** Fields of request and answer that were compared with recordings. */
  fields: number;
  findings: RecordingFinding[];
}

export interface RecordingFinding {
  operation: string;
  side: 'request' | 'answer';
  path: string;
  difference: ShapeDifference;
}

interface Kind {
  request: Shape;
  answer: Shape;
}

export interface Witness {
  /** undefined: there is no recording of this kind. */
  hear(exchange: HttpExchange): Testimony | undefined;
}

export function makeWitness(recordings: readonly RecordedExchange[]): Witness {
  const kinds = new Map<string, Kind>();
  const kindOf = (operation: string): Kind => {
    const kind = kinds.get(operation) ?? { request: new Map(), answer: new Map() };
    kinds.set(operation, kind);
    return kind;
  };
  for (const { method, url, requestBody, status, body } of recordings) {
    const path = new URL(url, 'https://recorded').pathname;
    const operation = operationOf(method, path, status, body);
    if (operation === undefined) continue;
    const kind = kindOf(operation);
    addToShape(kind.request, requestBody);
    addToShape(kind.answer, body);
    // An item of a list looks like a single resource; some resources were recorded only in lists.
    const itemOperation = method === 'GET' ? itemOf(path) : undefined;
    if (itemOperation !== undefined) for (const item of itemsOf(body)) addToShape(kindOf(itemOperation).answer, item);
  }
  return { hear: (exchange) => hear(kinds, exchange) };
}

function hear(kinds: ReadonlyMap<string, Kind>, exchange: HttpExchange): Testimony | undefined {
  const { method, path, body, answer } = exchange;
  const operation = operationOf(method, path, answer.status, answer.body ?? null);
  const kind = operation === undefined ? undefined : kinds.get(operation);
  if (operation === undefined || !kind) return undefined;
  const request = shapeDifferences(kind.request, body);
  const answered = shapeDifferences(kind.answer, answer.body ?? null);
  const findings: RecordingFinding[] = [];
  for (const [side, { found }] of [
    ['request', request],
    ['answer', answered],
  ] as const) {
    for (const [field, difference] of found) {
      // The client decides which fields a request omits.
      if (side === 'request' && difference === 'lacking') continue;
      findings.push({ operation, side, path: field, difference });
    }
  }
  return { operation, fields: request.fields + answered.fields, findings };
}

/** Running, succeeded and failed operations have different fields. */
function operationOf(method: string, path: string, status: number, body: Json): string | undefined {
  const route = findRoute(method, path)?.route;
  if (!route) return undefined;
  const isPoll = /operation(?:s|Statuses)\//i.test(route.path);
  return `${method} ${shortened(route.path)} ${status}${isPoll ? ` ${stringAt(body, 'status')}` : ''}`;
}

function itemOf(path: string): string | undefined {
  const list = findRoute('GET', path)?.route.path;
  const item = ROUTES.find((route) => route.method === 'GET' && list !== undefined && isItemOf(route.path, list));
  return item && `GET ${shortened(item.path)} 200`;
}

function isItemOf(path: string, list: string): boolean {
  return path.startsWith(`${list}/{`) && path.endsWith('}') && !path.slice(list.length + 1).includes('/');
}

function itemsOf(body: Json): Json[] {
  return isObject(body) && Array.isArray(body.value) ? body.value : [];
}

function shortened(path: string): string {
  return path.replace(/^.*\/providers\/Microsoft\.(?:Compute|StandbyPool)\//, '');
}
