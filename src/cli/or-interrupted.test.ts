import { describe, expect, it } from 'vitest';
import { orInterrupted } from './or-interrupted.ts';

describe('orInterrupted', () => {
  it('replaces any error after an abort; other errors pass', async () => {
    const result = { code: 'pool/interrupted', kept: 'k', next: 'n' };
    const fail = () => Promise.reject(new Error('socket closed'));
    await expect(orInterrupted(AbortSignal.abort('SIGINT'), result, fail)).rejects.toMatchObject({
      exitCode: 4,
      ...result,
    });
    await expect(orInterrupted(new AbortController().signal, result, fail)).rejects.toThrow('socket closed');
  });
});
