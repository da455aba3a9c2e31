// image/build/tool-versions.ts: which releases of this machine's programs make an image's bytes? Another one may write the same content down in other bytes.
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { ToolArgv } from '../../host/required-tools.ts';
import { killedWithParent } from '../../host/run-tool.ts';

/** Those that decide about bytes. What only reads, unpacks or copies is not among them. */
const ASKED = {
  mmdebstrap: ['mmdebstrap', '--version'],
  mke2fs: ['mke2fs', '-V'],
  debugfs: ['debugfs', '-V'],
  'qemu-img': ['qemu-img', '--version'],
} as const satisfies Record<string, ToolArgv>;

export type ToolVersions = Readonly<Record<keyof typeof ASKED, string>>;

export async function toolVersions(run: RunCommand, signal?: AbortSignal): Promise<ToolVersions> {
  const entries = await Promise.all(
    Object.entries(ASKED).map(async ([name, argv]) => [name, await versionOf(argv, run, signal)] as const),
  );
  return Object.fromEntries(entries) as ToolVersions;
}

async function versionOf(argv: ToolArgv, run: RunCommand, signal: AbortSignal | undefined): Promise<string> {
  const { stdout, stderr } = await run(killedWithParent(argv), { signal });
  signal?.throwIfAborted();
  // Some say it on one stream, some on the other.
  const version = releaseIn(`${stdout.toString()}\n${stderr}`);
  if (version !== undefined) return version;
  throw new UserError(`${argv.join(' ')} does not say which release it is`, {
    code: 'image/unknown-tool',
    kept: 'Nothing was made.',
    next: `see that ${argv[0]} runs on this machine`,
    exitCode: 1,
  });
}

/** The makers' own number: what a distribution adds to it for a fix elsewhere makes no other bytes. */
export function releaseIn(text: string): string | undefined {
  return /\b\d+(?:\.\d+)+/.exec(text)?.[0];
}
