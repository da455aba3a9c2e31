import { describe, expect, it } from 'vitest';
import { runCommand } from '../base/command.ts';
import { verb } from './completion.ts';
import { runVerb } from './testing.ts';

describe('completion', () => {
  it('prints a script that bash can read', async () => {
    const { code, stdout } = await runVerb(verb, ['bash']);
    expect(code).toBe(0);
    expect(await runCommand(['bash', '-n'], { input: stdout })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s that calls the program', async (shell) => {
    expect((await runVerb(verb, [shell])).stdout).toContain(`__complete ${shell}`);
  });

  it('names the known shells for an unknown one', async () => {
    const { code, stderr } = await runVerb(verb, ['tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  });
});
