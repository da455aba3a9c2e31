import { describe, expect, it } from 'vitest';
import { errorFacts, exitCodeOf, renderError, TransientError, UserError } from './errors.ts';

describe('renderError', () => {
  it('prints what happened, what was kept, what to do next and the code', () => {
    const error = new UserError('cannot read x', { code: 'a/b', kept: 'Nothing was written.', next: 'try y' });
    expect(renderError(error)).toBe('error: cannot read x\n       Nothing was written.\nnext:  try y\ncode:  a/b');
    expect(exitCodeOf(error)).toBe(2);
  });

  it('prints the next step of a transient failure', () => {
    const error = new TransientError('no answer', { code: 'a/b', next: 'check the address' });
    expect(renderError(error)).toBe('error: no answer\nnext:  check the address\ncode:  a/b');
    expect(errorFacts(error)).toEqual({ code: 'a/b', message: 'no answer', next: 'check the address', exitCode: 1 });
  });

  it('removes control characters in file names and server messages', () => {
    const text = 'cannot read \u001b[2Jevil\r\u009b31m\nsecond line';
    for (const error of [new UserError(text, { code: 'a/b' }), new TransientError(text, { code: 'a/b' })]) {
      expect(renderError(error)).toContain('cannot read \ufffd[2Jevil\ufffd\ufffd31m\nsecond line');
    }
  });

  it('prints a bug with its stack and exits with 70', () => {
    expect(renderError(new Error('oops'))).toMatch(/^bug: Error: oops\n {4}at /);
    expect(exitCodeOf(new Error('oops'))).toBe(70);
  });
});
