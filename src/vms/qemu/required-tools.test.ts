import { expect, it } from 'vitest';
import { installCommand } from '../../host/install-command.ts';
import { missingTools } from '../../host/required-tools.ts';
import { BASE_TOOLS, POOL_TOOLS } from './required-tools.ts';

it('one command installs all programs that pools need', () => {
  const missing = missingTools([...POOL_TOOLS, ...BASE_TOOLS], '/bin', (file) => file === '/usr/sbin/mke2fs');
  expect(missing.map(({ program }) => program)).not.toContain('mke2fs');
  expect(installCommand(missing.map((tool) => tool.package))).toEqual([
    ...['apt-get', 'install', '--yes', '--no-install-recommends', 'apt', 'genisoimage', 'lz4', 'mmdebstrap'],
    ...['openssh-client', 'qemu-system-x86', 'qemu-utils', 'util-linux'],
  ]);
});
