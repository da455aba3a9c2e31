// image/build/disk/derived-id.ts: a UUID that is unique like a random one, but always the same for the same seed.
import { createHash } from 'node:crypto';

export function derivedId(seed: string, what: string): string {
  const bytes = createHash('sha256').update(`${what}\0${seed}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80; // version 8: custom (RFC 9562)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
