// sims/azure/referee/recordings.ts: recorded traffic between the real service and Microsoft's client. It belongs to Microsoft and is not in the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../service/json.ts';

/** One exchange, recorded without names, secrets and most headers. */
export interface RecordedExchange {
  method: string;
  url: string;
  requestBody: Json;
  status: number;
  headers: Record<string, string>;
  body: Json;
}

/** `specs` is what `findSpecs` gave; there may be specifications without recordings. */
export function readRecordings(specs: string): RecordedExchange[] {
  const folder = join(specs, 'real-traffic');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().flatMap((name) => parseRecordings(readFileSync(join(folder, name), 'utf8'), name));
}

/** Recordings of two clients have two forms: one flat, one with separate request and response. */
export function parseRecordings(text: string, name: string): RecordedExchange[] {
  return (JSON.parse(text) as (RecordedExchange | Exchange)[]).map((one, i) => {
    if ('request' in one && 'response' in one) return flat(one);
    if ('method' in one && 'url' in one) return one;
    throw new Error(`${name}: exchange ${i} has neither a url nor a request and a response`);
  });
}

interface Exchange {
  request: { method: string; uri: string; body?: Json };
  response: { status: number; headers: Record<string, string>; body?: Json };
}

function flat({ request, response }: Exchange): RecordedExchange {
  return {
    method: request.method,
    url: request.uri.replace(/^https:\/\/[^/]+/, ''),
    requestBody: request.body ?? null,
    status: response.status,
    headers: response.headers,
    body: response.body ?? null,
  };
}
