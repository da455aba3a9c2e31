// sims/azure/service/pages.ts: long lists come in pages, each with the address of the next.
import type { Answer, Call } from './call.ts';
import type { JsonObject } from './json.ts';

/** Azure promises no size; this one is small enough for a test to see the second page. */
const PAGE = 50;

export function page(call: Call, items: JsonObject[]): Answer {
  const from = Number(call.query.get('$skiptoken') ?? 0);
  const value = items.slice(from, from + PAGE);
  const next = new URLSearchParams(call.query);
  next.set('$skiptoken', String(from + PAGE));
  const hasMore = from + PAGE < items.length;
  return { status: 200, body: { value, ...(hasMore && { nextLink: `${call.baseUrl}${call.path}?${next}` }) } };
}
