// image/build/files/release-file.ts: which facts does an image record about itself, and how is containerd configured before a document arrives?
import { containerd } from '../../../node/desired/aspects/containerd.ts';
import { parseDocument } from '../../../node/document/document.ts';
import { API_VERSIONS } from '../../../node/document/schema/convert.ts';
import type { Facts } from '../../../node/observe/facts.ts';
import { parseRelease } from '../../../node/observe/release.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { artifactsOf } from '../../lock/content-hash.ts';
import type { Artifact } from '../../lock/lock.ts';
import { imageVersionLabel } from '../../publish/names.ts';
import type { ImageTarget } from '../contract.ts';
import { isPause } from '../store/container-images.ts';
import { CNI_FOLDER } from './node-files.ts';

export interface ReleaseFacts {
  contentSha256: string;
  kernelRelease: string;
}

/** `usr/lib/headstart/release.json`: the daemon reads versions from it (node/observe/release.ts) instead of running programs. */
export function renderRelease(
  { lock, kubernetes }: ImageTarget,
  { contentSha256, kernelRelease }: ReleaseFacts,
): string {
  const artifacts = artifactsOf(lock, kubernetes);
  const isAsked = ({ kind, isAsked: asked }: Artifact) => kind !== 'deb' || asked === true;
  const release = {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageRelease',
    name: lock.name,
    version: imageVersionLabel(kubernetes, lock.base),
    kubernetesVersion: kubernetes,
    ...ifKnown('containerdVersion', upstreamVersion(artifacts, 'containerd')),
    architecture: lock.architecture,
    configApiVersions: API_VERSIONS,
    cniBinDir: CNI_FOLDER,
    defaults: defaultsOf(artifacts),
    contentSha256,
    base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
    kernelRelease,
    // Leaves out packages that are only dependencies; the SBOM has everything.
    components: artifacts
      .filter(isAsked)
      .map(({ component, kind, version }) => ({ name: component, kind, version }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  const text = `${JSON.stringify(release, null, 2)}\n`;
  parseRelease(text); // fail here if the daemon could not read it
  return text;
}

/**
 * The same file that the daemon writes for a document without containerd settings: the daemon then changes nothing, and containerd,
 * which is already running, does not restart.
 */
export async function renderContainerdFiles(release: string): Promise<{ path: string; text: string }[]> {
  const image = parseRelease(release);
  const machine = { cpus: 2, memoryBytes: 4 * 2 ** 30 };
  const document = {
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation: 1 },
    spec: { kubernetes: { version: image.kubernetesVersion } },
  };
  const read = await parseDocument(Buffer.from(JSON.stringify(document)), { image, machine, nowMs: 0 });
  if (read.outcome === 'refused') throw new Error(`the empty document is refused: ${JSON.stringify(read.problems)}`);
  const facts: Facts = { image, machine, instance: { platform: 'file', addresses: [], tags: {} } };
  return (containerd(read.config, facts).files ?? []).map(({ path, content }) => ({
    path: path.slice(1),
    text: String(content),
  }));
}

/** The lowest layer of every document, so that documents with other containerd settings keep these. */
function defaultsOf(artifacts: readonly Artifact[]): JsonObject {
  const pause = pauseImage(artifacts);
  return { containerd: { snapshotter: 'overlayfs', ...(pause !== undefined && { sandboxImage: pause }) } };
}

/** `registry.k8s.io/pause:3.10`, if the image contains one. */
function pauseImage(artifacts: readonly Artifact[]): string | undefined {
  return artifacts.find(({ kind, install }) => kind === 'oci-image' && install && isPause(install.to))?.install?.to;
}

/** `1.6.20~ds1-1+deb12u1` → `1.6.20`. */
function upstreamVersion(artifacts: readonly Artifact[], name: string): string | undefined {
  const version = artifacts.find(({ component, kind }) => component === name && kind !== 'oci-image')?.version;
  return version === undefined ? undefined : /^(?:\d+:)?v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
}

function ifKnown(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}
