import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../../base/errors.ts';
import { read, type ScriptedReply, startMs, wire } from './testing.ts';

describe('an endpoint that does not respond', () => {
  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED', 'CERT_REVOKED'])(
    'is not retried when its certificate fails with %s',
    async (broke) => {
      const { call, sent, messages } = await wire({ broke });
      const failure = await read(call).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UserError);
      expect(failure).toMatchObject({ code: 'vms/untrusted', message: expect.stringContaining('https://arm.example') });
      expect([sent.length, messages]).toEqual([1, []]);
    },
  );

  it('fails immediately when its certificate is not trusted, and the error names the setting to change', async () => {
    const { call } = await wire({ broke: 'SELF_SIGNED_CERT_IN_CHAIN' });
    await expect(read(call)).rejects.toMatchObject({ next: expect.stringContaining('NODE_EXTRA_CA_CERTS=FILE') });
  });

  it.each(['ENOTFOUND', 'ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'EPROTO'])(
    'fails within seconds after %s if it has never responded, and the error names address and setting',
    async (broke) => {
      const { call, clock } = await wire(...Array<ScriptedReply>(5).fill({ broke }));
      const failure = await read(call).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'vms/unreachable',
        message: expect.stringMatching(new RegExp(`https://arm\\.example .*${broke}`)),
        next: expect.stringContaining('HEADSTART_AZURE_ENDPOINT'),
      });
      expect(clock.nowMs() - startMs).toBeLessThanOrEqual(5000);
    },
  );

  it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
    'gets the usual retries after %s once it has responded: a donor may be out of service',
    async (broke) => {
      const { call, open, sent } = await wire({ status: 200 }, ...Array<ScriptedReply>(5).fill({ broke }));
      await read(call);
      await expect(read(await open())).rejects.toBeInstanceOf(TransientError);
      expect(sent).toHaveLength(6);
    },
  );

  it('is reported with the reason while a retry waits', async () => {
    const { call, messages } = await wire({ broke: 'ECONNREFUSED' }, { status: 200 });
    await read(call);
    expect(messages).toEqual([
      'https://arm.example refused the connection (ECONNREFUSED 127.0.0.1:1): retrying in 2 s',
    ]);
  });
});
