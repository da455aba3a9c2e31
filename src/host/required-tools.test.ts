import { describe, expect, it } from 'vitest';
import { BASE_TOOLS, installCommand, missingTools, POOL_TOOLS, requireTools, toolPath } from './required-tools.ts';

describe('the programs that pools need', () => {
  it('are all named at once, with the one command that installs them', () => {
    const missing = missingTools([...POOL_TOOLS, ...BASE_TOOLS], '/bin', (file) => file === '/usr/sbin/mke2fs');
    expect(missing.map(({ program }) => program)).not.toContain('mke2fs');
    expect(installCommand(missing)).toEqual([
      ...['apt-get', 'install', '--yes', '--no-install-recommends', 'apt', 'genisoimage', 'lz4', 'mmdebstrap'],
      ...['openssh-client', 'qemu-system-x86', 'qemu-utils', 'util-linux'],
    ]);
  });

  it('are found where a user’s PATH does not lead', () => {
    expect(toolPath(undefined).split(':')).toContain('/usr/sbin');
    expect(missingTools(BASE_TOOLS, undefined, (file) => file.startsWith('/usr/sbin/'))).toEqual([]);
  });

  it('are asked for in an error that says what to type', () => {
    const tools = [{ program: 'no-such-program-1', package: 'one' }];
    expect(() => requireTools(tools, '', false)).toThrow(
      expect.objectContaining({ next: 'sudo apt-get install --yes --no-install-recommends one' }),
    );
    expect(() => requireTools([], '', true)).not.toThrow();
  });
});
