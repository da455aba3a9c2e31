// sims/azure/service/request-ids.ts: which ids does every answer carry, so that a person can ask support about it?
import { createHash } from 'node:crypto';
import type { SimWorld } from '../world.ts';
import type { ArmRequest } from './call.ts';

/** From the number of the request alone, so that they leave the ids of resources as the seed gives them. */
export function requestIds(
  { subscriptionId, requests, resourceGroups }: Pick<SimWorld, 'subscriptionId' | 'requests' | 'resourceGroups'>,
  { headers }: Pick<ArmRequest, 'headers'>,
  nowMs: number,
): Record<string, string> {
  const id = idOf(`${subscriptionId} request ${requests}`);
  const region = (resourceGroups[0]?.location ?? 'global').toUpperCase();
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const clientId = headers['x-ms-client-request-id'];
  const isAskedFor = headers['x-ms-return-client-request-id']?.toLowerCase() === 'true';
  return {
    'x-ms-request-id': id,
    'x-ms-correlation-request-id': headers['x-ms-correlation-request-id'] ?? id,
    'x-ms-routing-request-id': `${region}:${time}:${id}`,
    ...(clientId !== undefined && isAskedFor && { 'x-ms-client-request-id': clientId }),
  };
}

function idOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
