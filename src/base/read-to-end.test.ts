import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readToEnd } from './read-to-end.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

function reading(path: string, maxBytes?: number): string {
  const fd = openSync(path, 'r');
  try {
    return Buffer.from(readToEnd(fd, maxBytes)).toString();
  } finally {
    closeSync(fd);
  }
}

describe('readToEnd', () => {
  it('returns all bytes in order', () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join('');
    writeFileSync(join(folder, 'long'), text);
    expect(reading(join(folder, 'long'))).toBe(text);
  });

  it('throws at the limit instead of hanging on a device without an end', () => {
    expect(() => reading('/dev/zero', 2 << 20)).toThrow('it is larger than 2 MiB');
  });
});
