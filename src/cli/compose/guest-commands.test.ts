import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guestCommands } from './guest-commands.ts';

describe('guestCommands', () => {
  it('names existing programs', () => {
    for (const argv of Object.values(guestCommands({}))) {
      expect(argv[0]).toBe(process.execPath);
      expect(existsSync(argv.at(-1)!)).toBe(true);
    }
  });

  it('passes the compile cache on the command line, because QEMU runs without our environment', () => {
    const { metadataCommand, relayCommand } = guestCommands({ NODE_COMPILE_CACHE: '/a b/c' });
    for (const argv of [metadataCommand, relayCommand]) {
      expect(argv.slice(0, 3)).toEqual(['env', 'NODE_COMPILE_CACHE=/a b/c', process.execPath]);
    }
  });
});
