// image/build/tool-versions.ts: which tool versions affect an image's bytes? Another version may pack the same content into other bytes.
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { ToolArgv } from '../../host/required-tools.ts';
import { killedWithParent } from '../../host/run-tool.ts';

/** Tools that only read, unpack or copy are not listed. */
const VERSION_COMMANDS = {
  mmdebstrap: ['mmdebstrap', '--version'],
  mke2fs: ['mke2fs', '-V'],
  debugfs: ['debugfs', '-V'],
  'qemu-img': ['qemu-img', '--version'],
} as const satisfies Record<string, ToolArgv>;

export type ToolVersions = Readonly<Record<keyof typeof VERSION_COMMANDS, string>>;

export async function toolVersions(run: RunCommand, signal?: AbortSignal): Promise<ToolVersions> {
  const entries = await Promise.all(
    Object.entries(VERSION_COMMANDS).map(async ([name, argv]) => [name, await versionOf(argv, run, signal)] as const),
  );
  return Object.fromEntries(entries) as ToolVersions;
}

async function versionOf(argv: ToolArgv, run: RunCommand, signal: AbortSignal | undefined): Promise<string> {
  const { stdout, stderr } = await run(killedWithParent(argv), { signal });
  signal?.throwIfAborted();
  // Some tools print their version to stdout, others to stderr.
  const version = releaseIn(`${stdout.toString()}\n${stderr}`);
  if (version !== undefined) return version;
  throw new UserError(`\`${argv.join(' ')}\` prints no version`, {
    code: 'image/unknown-tool',
    kept: 'Nothing was built.',
    next: `make sure that ${argv[0]} runs on this machine`,
    exitCode: 1,
  });
}

/** The upstream version: a distribution's suffix does not change the bytes. */
export function releaseIn(text: string): string | undefined {
  return /\b\d+(?:\.\d+)+/.exec(text)?.[0];
}
