import { describe, expect, it } from 'vitest';
import { scripted } from '../testing.ts';
import { AgentRefused, callAgentOver, shutDownOver } from './guest-agent.ts';

describe('the guest agent', () => {
  it('gets commands only after it has answered with our sync number', async () => {
    const { conversation, sent } = scripted(({ execute, arguments: args }) =>
      execute === 'guest-sync-delimited'
        ? ['{"return": {"half an ans', `{"return": 4}`, `{"return": "late"}\xff${JSON.stringify({ return: args?.id })}`]
        : [JSON.stringify({ return: execute })],
    );
    const ask = await callAgentOver(conversation);
    expect(await ask('guest-ping')).toBe('guest-ping');
    expect(sent()[0]?.execute).toBe('guest-sync-delimited');
  });

  it('reports the command that it refused', async () => {
    const { conversation } = scripted(({ execute, arguments: args }) => [
      execute === 'guest-sync-delimited'
        ? JSON.stringify({ return: args?.id })
        : JSON.stringify({ error: { class: 'CommandNotFound', desc: 'it is disabled' } }),
    ]);
    const ask = await callAgentOver(conversation);
    await expect(ask('guest-exec')).rejects.toBeInstanceOf(AgentRefused);
  });

  it.each([
    ['pings once more and is gone', { return: {} }, undefined],
    ['is gone at once', undefined, undefined],
    ['refuses', { error: { desc: 'no' } }, AgentRefused],
  ])('after a shutdown command %s', async (_what, answer, failure) => {
    const { conversation, sent } = scripted(({ execute, arguments: args }) => {
      if (execute === 'guest-sync-delimited') return [JSON.stringify({ return: args?.id })];
      return execute === 'guest-ping' && answer ? [JSON.stringify(answer)] : [];
    });
    const done = shutDownOver(conversation);
    if (failure) await expect(done).rejects.toBeInstanceOf(failure);
    else await done;
    expect(sent().map(({ execute }) => execute)).toContain('guest-shutdown');
  });
});
