import { describe, expect, it } from 'vitest';
import { runCommand } from '../base/command.ts';
import { places, verb } from './completion.ts';
import { VERBS } from './main.ts';
import { runVerb } from './testing.ts';

describe('completion', () => {
  it('knows every verb of the table and the options each declares', async () => {
    const known = await places();
    for (const path of Object.keys(VERBS)) {
      const place = known.find((p) => p.path === path);
      expect(place?.options.map((option) => option.long)).toContain('--help');
    }
  });

  it('prints a function that bash can read', async () => {
    const { code, stdout } = await runVerb(verb, ['bash']);
    expect(code).toBe(0);
    expect(await runCommand(['bash', '-n'], { input: stdout })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['zsh', 'fish'])('prints one for %s', async (shell) => {
    expect((await runVerb(verb, [shell])).stdout).toContain('headstart');
  });

  it('names the shells it knows when asked for another', async () => {
    const { code, stderr } = await runVerb(verb, ['tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  });
});
