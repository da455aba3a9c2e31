// cli/compose/guest-commands.ts: which programs does QEMU start for the connections of a guest? The caller appends the instance's folder, or host and port.
import { fileURLToPath } from 'node:url';

type Argv = [string, ...string[]];

export function guestCommands(env: Readonly<Record<string, string | undefined>>): {
  metadataCommand: Argv;
  relayCommand: Argv;
} {
  // QEMU runs without our environment, and without the compile cache both programs take twice as long to answer.
  const cache = env.NODE_COMPILE_CACHE;
  const withCache = cache ? ['env', `NODE_COMPILE_CACHE=${cache}`] : [];
  const run = (program: string): Argv => {
    const file = fileURLToPath(new URL(program, import.meta.url));
    // A warning on standard error would reach the guest in the middle of a response.
    const [first = process.execPath, ...rest] = [...withCache, process.execPath, '--no-warnings', file];
    return [first, ...rest];
  };
  return { metadataCommand: run('../../vms/qemu/metadata-service/stdio.ts'), relayCommand: run('../relay.ts') };
}
