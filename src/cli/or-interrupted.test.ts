import { describe, expect, it } from 'vitest';
import { orInterrupted } from './or-interrupted.ts';

describe('orInterrupted', () => {
  it('replaces any error after an abort; other errors pass', async () => {
    const told = { code: 'pool/interrupted', kept: 'k', next: 'n' };
    const fail = () => Promise.reject(new Error('socket closed'));
    await expect(orInterrupted(AbortSignal.abort('SIGINT'), told, fail)).rejects.toMatchObject({
      exitCode: 4,
      ...told,
    });
    await expect(orInterrupted(new AbortController().signal, told, fail)).rejects.toThrow('socket closed');
  });
});
