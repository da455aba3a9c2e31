// Each numbered edge case of boots and their logs has a test that names it. This test checks that no number is missing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const COUNT = 55;
const source = fileURLToPath(new URL('..', import.meta.url));
const named = new Set<number>();
for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.test.ts')) continue;
  const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
  for (const [, numbers] of text.matchAll(/['"`]edge cases? ([\d, and]+?):/g)) {
    for (const [number] of numbers!.matchAll(/\d+/g)) named.add(Number(number));
  }
}

describe('the edge cases of boot analysis', () => {
  it.each(Array.from({ length: COUNT }, (_, i) => i + 1))('number %d has a test that names it', (number) => {
    expect(named).toContain(number);
  });
});
