// boot/load/sources/logs/testing.ts: journal entries for tests, as JSON and as export.

export const BOOT = 'a'.repeat(32);
export const WALL_ZERO_US = 1_794_776_878e6;

/** Message ids of PID 1. */
export const BEGAN = '7d4958e842da4a758f6c1cdc7b36dcc5';
export const DONE = '39f53479d3a045ac8e11786248231fbf';
export const FAILED = 'be02cf6855d2428ba40df7e9d022f03d';
export const STARTUP = 'b07a249cd024414a82dd00cd181378ff';

export type Fields = Record<string, unknown>;

export function entry(atUs: number, fields: Fields = {}, offsetUs = WALL_ZERO_US): Fields {
  return {
    __REALTIME_TIMESTAMP: String(atUs + offsetUs),
    __MONOTONIC_TIMESTAMP: String(atUs),
    _BOOT_ID: BOOT,
    _PID: '1',
    ...fields,
  };
}

export function json(entries: Fields[]): string {
  return entries.map((fields) => `${JSON.stringify(fields)}\n`).join('');
}

/** Fields as `NAME=value`; a value with a newline has a length prefix. */
export function exported(entries: Fields[]): Buffer {
  const parts: Buffer[] = [];
  for (const fields of entries) {
    for (const [name, value] of Object.entries(fields)) {
      const bytes = Buffer.from(String(value));
      if (!bytes.includes(10)) {
        parts.push(Buffer.from(`${name}=`), bytes, Buffer.from('\n'));
        continue;
      }
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(bytes.length));
      parts.push(Buffer.from(`${name}\n`), length, bytes, Buffer.from('\n'));
    }
    parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}
