// cli/compose/guest-commands.ts: which programs does QEMU start for the connections of a guest? The caller appends the instance's folder, or host and port.
import type { Argv } from '../../base/command.ts';
import { ownProgram } from '../../base/own-files/own-files.ts';

export function guestCommands(env: Readonly<Record<string, string | undefined>>): {
  metadataCommand: Argv;
  relayCommand: Argv;
} {
  // QEMU runs without our environment, and without the compile cache both programs take twice as long to answer.
  const cache = env.NODE_COMPILE_CACHE;
  const withCache = (argv: Argv): Argv => (cache ? ['env', `NODE_COMPILE_CACHE=${cache}`, ...argv] : argv);
  // Without warnings: one on standard error would reach the guest in the middle of a response.
  return {
    metadataCommand: withCache(ownProgram(new URL('../../vms/qemu/metadata-service/stdio.ts', import.meta.url))),
    relayCommand: withCache(ownProgram(new URL('../relay.ts', import.meta.url))),
  };
}
