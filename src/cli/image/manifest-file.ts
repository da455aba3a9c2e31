// cli/image/manifest-file.ts: reads the manifest of an image verb, and finds its lock.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import type { Architecture, Manifest } from '../../image/manifest/manifest.ts';
import { readManifest } from '../../image/manifest/read-manifest.ts';

export interface ManifestFlags {
  file: string;
  architecture?: string;
}

export function withManifestOption(command: Command): Command {
  return command.option('-f, --file <FILE>', 'the manifest', 'image.yaml');
}

export function withArchitectureOption(command: Command): Command {
  return command.option('--architecture <NAME>', 'amd64 or arm64; default: the first one in the manifest');
}

export async function loadManifest(file: string): Promise<{ text: string; manifest: Manifest }> {
  const text = readManifestText(file);
  return { text, manifest: await readManifest(text, file) };
}

export function architectureOf(
  { architecture }: Pick<ManifestFlags, 'architecture'>,
  manifest: Manifest,
): Architecture {
  const found = manifest.architectures.find((each) => architecture === undefined || each === architecture);
  if (found) return found;
  throw new UserError(`the manifest has no architecture '${architecture}'`, {
    code: 'image/unknown-architecture',
    next: `use one of ${manifest.architectures.join(', ')}`,
  });
}

/** Next to the manifest by default. */
export function lockFileOf(named: string | undefined, manifestFile: string): string {
  return named ?? join(dirname(manifestFile), 'image.lock.json');
}

export function readManifestText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UserError(`cannot read the manifest ${file}: ${whyUnreadable(cause)}`, {
      code: 'image/no-manifest',
      next: 'name a manifest with -f FILE; `headstart image schema` prints its fields',
      cause,
    });
  }
}
