// cli/output/json.ts: the envelope every --json answer comes in.
import type { Edges } from '../verb.ts';

export const API_VERSION = 'headstart.dev/v1';

export function printJson(edges: Edges, kind: string, body: object): void {
  edges.stdout(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...body }, null, 2)}\n`);
}

/** One document a line, for verbs that print events while they run and the result last: whoever reads goes line by line. */
export function printJsonLine(edges: Edges, kind: string, body: object): void {
  edges.stdout(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...body })}\n`);
}
