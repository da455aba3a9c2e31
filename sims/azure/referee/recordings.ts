// sims/azure/referee/recordings.ts: what did the real service do when Microsoft's own client talked to it? Other people's data, not in the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../json.ts';

/** One exchange; names, secrets and most headers were taken out before it came here. */
export interface Recorded {
  method: string;
  url: string;
  requestBody: Json;
  status: number;
  headers: Record<string, string>;
  body: Json;
}

/** `specs` is what `findSpecs` gave; there may be specifications without recordings. */
export function readRecordings(specs: string): Recorded[] {
  const folder = join(specs, 'real-traffic');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded[]);
}
