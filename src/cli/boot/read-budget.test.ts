import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { readBudget } from './read-budget.ts';

const folder = mkdtempSync(join(tmpdir(), 'budget-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const path = join(folder, 'budget.yaml');
  writeFileSync(path, text);
  return readBudget(path);
}

function refusal(text: string): UserError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  return expect.fail('accepted');
}

describe('readBudget', () => {
  it('reads YAML and JSON', () => {
    expect(read('units: {a.service: 5s}\n')).toEqual(read('{"units": {"a.service": "5s"}}'));
  });

  it('names a missing file and the option', () => {
    expect(() => readBudget(join(folder, 'none'))).toThrow(
      expect.objectContaining({ code: 'boot/budget-unreadable', next: 'name an existing file with --budget' }),
    );
  });

  it('reports a file that is not YAML in four short lines', () => {
    const { code, message } = refusal(`${'}{ '.repeat(200)}\n`.repeat(50));
    expect(code).toBe('boot/bad-budget');
    const lines = message.split('\n').slice(1);
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/^ +and \d+ more$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(130);
  });

  it('refuses an unresolved alias with a user error', () => {
    expect(refusal('units: *nowhere\n').code).toMatch(/^boot\//);
  });
});
