import { describe, expect, it } from 'vitest';
import { confirm } from './confirm.ts';

const deps = { stderr: () => undefined, isTerminal: { stdout: false, stderr: false } };

describe('confirm', () => {
  it('does not ask with --yes', () => {
    const asked = () => {
      throw new Error('asked');
    };
    expect(() => confirm('delete it?', { yes: true }, deps, asked)).not.toThrow();
  });

  it.each(['y', 'Y', 'yes', ' yes\r'])('accepts %j as yes', (answer) => {
    expect(() => confirm('delete it?', {}, deps, () => answer)).not.toThrow();
  });

  it.each(['', 'n', 'no', 'yeah', 'oui'])('accepts %j as no', (answer) => {
    expect(() => confirm('delete it?', {}, deps, () => answer)).toThrow(
      expect.objectContaining({ code: 'cli/not-confirmed', exitCode: 2 }),
    );
  });

  it('refuses without a terminal', () => {
    expect(() => confirm('delete it?', {}, deps)).toThrow('cannot ask for confirmation without a terminal');
  });
});
