import { describe, expect, it } from 'vitest';
import { scripted } from '../testing.ts';
import { orderOver } from './qmp.ts';

describe('QMP', () => {
  const greeting = { QMP: { version: {} } };

  it('reads the greeting, negotiates capabilities, and returns the answer, ignoring events', async () => {
    const { conversation, sent } = scripted([
      greeting,
      { event: 'RESUME' },
      { return: {} },
      { event: 'NIC_RX_FILTER_CHANGED' },
      { return: { status: 'running' } },
    ]);
    expect(await orderOver(conversation, 'query-status', {})).toEqual({ status: 'running' });
    expect(sent().map(({ execute }) => execute)).toEqual(['qmp_capabilities', 'query-status']);
  });

  it('reports what QEMU refused', async () => {
    const { conversation } = scripted([
      greeting,
      { return: {} },
      { error: { class: 'GenericError', desc: 'not now' } },
    ]);
    await expect(orderOver(conversation, 'system_powerdown', {})).rejects.toThrow('not now');
  });
});
