import { describe, expect, it } from 'vitest';
import { confirm } from './confirm.ts';

const deps = { stderr: () => undefined, isTerminal: { stdout: false, stderr: false } };

describe('confirm', () => {
  it('asks nobody when the answer was given', () => {
    const asked = () => {
      throw new Error('asked');
    };
    expect(() => confirm('delete it?', { yes: true }, deps, asked)).not.toThrow();
  });

  it.each(['y', 'Y', 'yes', ' yes\r'])('takes %j for yes', (answer) => {
    expect(() => confirm('delete it?', {}, deps, () => answer)).not.toThrow();
  });

  it.each(['', 'n', 'no', 'yeah', 'oui'])('takes %j for no', (answer) => {
    expect(() => confirm('delete it?', {}, deps, () => answer)).toThrow(
      expect.objectContaining({ code: 'cli/not-confirmed', exitCode: 2 }),
    );
  });

  it('refuses where there is no terminal', () => {
    expect(() => confirm('delete it?', {}, deps)).toThrow('cannot ask for confirmation without a terminal');
  });
});
