import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from '../base/errors.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-json-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const schema = z.object({ a: z.string() });
const bad = { code: 'area/bad-record', next: 'remove it' };

describe('JSON records', () => {
  it('are read as they were written, with mode 0600 and no leftover files', () => {
    const path = join(folder, 'x.json');
    writeJsonFile(path, { a: 'b' });
    expect(readJsonFile(path, schema, bad)).toEqual({ a: 'b' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['x.json']);
  });

  it('are undefined when the file does not exist', () => {
    expect(readJsonFile(join(folder, 'none', 'x.json'), schema, bad)).toBeUndefined();
    writeFileSync(join(folder, 'file'), '');
    expect(readJsonFile(join(folder, 'file', 'x.json'), schema, bad)).toBeUndefined();
  });

  it("that cannot be read fail with the caller's code and next step", () => {
    expect(() => readJsonFile(folder, schema, bad)).toThrow(
      expect.objectContaining({ ...bad, message: `cannot read ${folder}: it is a folder` }),
    );
    writeFileSync(join(folder, 'x.json'), '{');
    expect(() => readJsonFile(join(folder, 'x.json'), schema, bad)).toThrow(expect.objectContaining(bad));
  });

  it('with invalid content are refused, and the error names the problem', () => {
    const path = join(folder, 'x.json');
    const anything = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(anything, (text) => {
        writeFileSync(path, text);
        let read: unknown;
        try {
          read = readJsonFile(path, schema, bad);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          expect((error as UserError).message).toContain(path);
          return;
        }
        expect(schema.safeParse(read).success).toBe(true);
      }),
    );
  });
});
