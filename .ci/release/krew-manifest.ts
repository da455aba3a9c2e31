// .ci/release/krew-manifest.ts: the manifest by which krew, the plugin manager of kubectl, finds and checks an archive. Pure.
import { stringify } from 'yaml';
import { tagOf } from './judge-release.ts';

/** The plugin is `kubectl NAME`; krew requires that the file has this name. */
export const PLUGIN = 'headstart';

export interface KrewArchive {
  /** Of the file. */
  name: string;
  /** As Go and krew name it. */
  arch: 'amd64' | 'arm64';
  sha256: string;
}

export interface KrewRelease {
  version: string;
  /** The web page of the repository, whose releases have the archives. */
  repository: string;
  archives: readonly KrewArchive[];
}

export function krewManifest({ version, repository, archives }: KrewRelease): string {
  const page = repository.replace(/\/+$/, '');
  const tag = tagOf(version);
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: PLUGIN },
    spec: {
      version: tag,
      homepage: page,
      shortDescription: 'Explain and speed up the boot of nodes',
      description: DESCRIPTION,
      caveats: CAVEATS,
      platforms: archives.map(({ name, arch, sha256 }) => ({
        selector: { matchLabels: { os: 'linux', arch } },
        uri: `${page}/releases/download/${tag}/${name}`,
        sha256,
        bin: PLUGIN,
      })),
    },
  };
  return stringify(manifest, { lineWidth: 0, blockQuote: 'literal' });
}

const DESCRIPTION = `Shows where the time goes between "give me a node" and Node Ready: collects the boot data of a
node through its cluster, and explains it. Bakes the best node of a pool into the image of new nodes.

  kubectl headstart boot collect --node NODE -o boot.tar.gz
  kubectl headstart boot timeline boot.tar.gz
`;

const CAVEATS = `Completion, with kubectl 1.26 or newer: write a program kubectl_complete-headstart into a folder on PATH:
  kubectl headstart completion kubectl > FOLDER/kubectl_complete-headstart
  chmod +x FOLDER/kubectl_complete-headstart
\`boot collect --node\` creates a short-lived, unprivileged pod that mounts the root file system of the node read-only.
`;
