import { describe, expect, it } from 'vitest';
import { orInterrupted } from './or-interrupted.ts';

describe('an interruption', () => {
  it('tells what there is, whatever was thrown; other failures pass', async () => {
    const told = { code: 'pool/interrupted', kept: 'k', next: 'n' };
    const fail = () => Promise.reject(new Error('socket closed'));
    await expect(orInterrupted(AbortSignal.abort('SIGINT'), told, fail)).rejects.toMatchObject({
      exitCode: 4,
      ...told,
    });
    await expect(orInterrupted(new AbortController().signal, told, fail)).rejects.toThrow('socket closed');
  });
});
