// vms/azure/standby/standby-name.ts: what do we call the standby pool of a scale set? Pure.
import { createHash } from 'node:crypto';

/** 3 to 24 letters, digits and dashes; two sets whose names begin alike get two names. */
export function standbyName(scaleSet: { id: string; name: string }): string {
  const readable = scaleSet.name.replace(/[^A-Za-z0-9-]/g, '-').slice(0, 14);
  const hash = createHash('sha256').update(scaleSet.id.toLowerCase()).digest('hex').slice(0, 6);
  return `hs-${readable}-${hash}`;
}
