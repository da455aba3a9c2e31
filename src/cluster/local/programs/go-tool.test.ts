import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../base/command.ts';
import { requireGo } from './go-tool.ts';

const told = (version: string, more: Partial<CommandResult> = {}): CommandResult => ({
  outcome: 'exited',
  code: 0,
  stdout: Buffer.from(JSON.stringify({ GOVERSION: version, GOCACHE: '/c' })),
  stderr: '',
  ...more,
});

describe('Go', () => {
  it.each(['go1.26.0', 'go1.26.8', 'go1.27rc1', 'go2.0', 'devel +abc'])('%s is accepted', (version) => {
    expect(requireGo(told(version))).toEqual({ version, cache: '/c' });
  });

  it.each([
    ['is too old', told('go1.25.9')],
    ['is older still', told('go0.9')],
    ['is missing', told('', { outcome: 'missing', code: null, stdout: Buffer.from('') })],
    ['fails', told('', { code: 2, stdout: Buffer.from('') })],
    ['prints nonsense', told('', { stdout: Buffer.from('go version go1.26') })],
    ['has no cache', told('', { stdout: Buffer.from('{"GOVERSION":"go1.26","GOCACHE":""}') })],
  ])('that %s is an error with a next step', (_, ran) => {
    expect(() => requireGo(ran)).toThrow(
      expect.objectContaining({
        code: 'cluster/no-go',
        next: expect.stringMatching(/install Go 1\.26 .*--programs DIR/),
      }),
    );
  });
});
