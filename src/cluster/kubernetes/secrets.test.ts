import { describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import { secretCalls } from './secrets.ts';
import { clientOf } from './testing.ts';

describe('a secret', () => {
  it('is read back unchanged for any text', async () => {
    let data: unknown;
    const calls = secretCalls(
      clientOf({
        createNamespacedSecret: async ({ body }: { body: { data: unknown } }) => {
          data = body.data;
        },
        readNamespacedSecret: async () => ({ data }),
      }),
    );
    const values = { plain: 'text', empty: '', lines: 'a\nb\n', word: 'Grüße, 世界' };
    await calls.writeSecret('way-back', values);
    expect(data).toMatchObject({ plain: 'dGV4dA==' });
    expect(await calls.readSecret('way-back')).toEqual(values);
  });

  it('that exists is replaced, and any other failure is thrown', async () => {
    const sent: string[] = [];
    const failing = (error: Error) =>
      secretCalls(
        clientOf({
          createNamespacedSecret: async () => {
            throw error;
          },
          replaceNamespacedSecret: async () => sent.push('replace'),
        }),
      );
    await failing(new Conflict('secrets way-back already exists', undefined)).writeSecret('way-back', {});
    expect(sent).toEqual(['replace']);
    await expect(failing(new Error('no way')).writeSecret('way-back', {})).rejects.toThrow('no way');
  });

  it('that does not exist is undefined', async () => {
    const calls = secretCalls(clientOf({ readNamespacedSecret: async () => undefined }));
    expect(await calls.readSecret('way-back')).toBeUndefined();
  });
});
