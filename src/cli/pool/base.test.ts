import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import { verb } from './base.ts';

const home = mkdtempSync(join(tmpdir(), 'headstart-base-'));
afterAll(() => rmSync(home, { recursive: true }));

describe('headstart pool base', () => {
  it('prints what it would build with --dry-run, and builds nothing', async () => {
    const ran = await runVerb(verb, ['--home', home, '--dry-run']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^would build a version of headstart\/debian-12 from \d+ packages of bookworm/);
    const { stdout } = await runVerb(verb, ['--home', home, '--dry-run', '--json', '--suite', 'trixie']);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'BaseImagePlan', definition: 'debian-13' });
  });

  it('names the known suites for an unknown one', async () => {
    const ran = await runVerb(verb, ['--home', home, '--suite', 'sid']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('bookworm, trixie');
  });
});
