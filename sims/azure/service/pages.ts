// sims/azure/service/pages.ts: long lists come in pages, each with the address of the next.
import type { ArmAnswer, ArmCall } from './call.ts';
import type { JsonObject } from './json.ts';

/** Azure promises no size. */
const PAGE = 100;

export function page(call: ArmCall, items: JsonObject[]): ArmAnswer {
  const from = Number(call.query.get('$skiptoken') ?? 0);
  const value = items.slice(from, from + PAGE);
  const next = new URLSearchParams(call.query);
  next.set('$skiptoken', String(from + PAGE));
  const hasMore = from + PAGE < items.length;
  return { status: 200, body: { value, ...(hasMore && { nextLink: `${call.baseUrl}${call.path}?${next}` }) } };
}
