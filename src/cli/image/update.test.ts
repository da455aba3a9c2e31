import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import { verb as update } from './update.ts';

let top: string;
let file: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'update-'));
  file = join(top, 'image.yaml');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('image update', () => {
  it('does not change an invalid manifest', async () => {
    writeFileSync(file, 'name: x\n');
    expect(await runVerb(update, ['-f', file, '--write'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('image/bad-manifest'),
    });
  });
});
