import { Duplex, PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationOver, NotAnswering } from './line-socket.ts';

describe('lines over a stream', () => {
  it('are received as they were sent, however they are split', async () => {
    const lines = fc.array(
      fc.string().filter((text) => !text.includes('\n')),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), async (sent, cuts) => {
        const stream = new PassThrough();
        const conversation = conversationOver(stream, 'x.sock');
        const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(''));
        for (let at = 0; at < bytes.length; ) {
          const length = cuts.next().value;
          stream.write(bytes.subarray(at, at + length));
          at += length;
        }
        const received: string[] = [];
        for (const _ of sent) received.push((await conversation.nextLine()).toString());
        expect(received).toEqual(sent);
      }),
    );
  });

  it('fail with a clear error when the other side hangs up or the stream breaks', async () => {
    const [hungUp, broken] = [new PassThrough(), new PassThrough()];
    const reading = [hungUp, broken].map((stream) => conversationOver(stream, 'x.sock').nextLine());
    hungUp.destroy();
    broken.destroy(Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' }));
    for (const one of reading) await expect(one).rejects.toBeInstanceOf(NotAnswering);
  });

  it('are limited in length, because the guest decides what it sends', async () => {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const reading = conversationOver(stream, 'x.sock').nextLine();
    const chunk = Buffer.alloc(1 << 20, 0x61);
    for (let i = 0; i < 50; i++) stream.push(chunk);
    await expect(reading).rejects.toThrow('more than 48 MiB');
  });
});
