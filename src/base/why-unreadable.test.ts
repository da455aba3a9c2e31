import { describe, expect, it } from 'vitest';
import { whyUnreadable, whyUnwritable } from './why-unreadable.ts';

const failure = (code?: string) => Object.assign(new Error('the text of the kernel'), code && { code });

describe('why a file cannot be used', () => {
  it('is said in words, and of a missing file differently when it is read and when it is written', () => {
    expect(whyUnreadable(failure('ENOENT'))).toBe('it does not exist');
    expect(whyUnwritable(failure('ENOENT'))).toBe('its folder does not exist');
    expect(whyUnwritable(failure('EACCES'))).toBe('permission denied');
  });

  it('is the code where there are no words for it, and the message where there is no code', () => {
    expect(whyUnreadable(failure('EIO'))).toBe('EIO');
    expect(whyUnreadable(failure('ENOSPC'))).toBe('ENOSPC');
    expect(whyUnreadable(failure())).toBe('the text of the kernel');
  });
});
