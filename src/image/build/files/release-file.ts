// image/build/files/release-file.ts: what does an image say about itself, and how is its containerd set up until a document says otherwise?
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

/** `usr/lib/headstart/release.json`: read by the daemon (node/observe/release.ts), so that nothing has to be run to learn a version. */
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
    // Without what only others need: the SBOM has everything.
    components: artifacts
      .filter(isAsked)
      .map(({ component, kind, version }) => ({ name: component, kind, version }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  const text = `${JSON.stringify(release, null, 2)}\n`;
  parseRelease(text); // what the daemon could not read must not get on an image
  return text;
}

/**
 * The very file that the daemon writes for a document without a word about containerd: it finds nothing to change, and containerd, which
 * has started meanwhile, goes on.
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
  if (read.outcome === 'refused') throw new Error(`an empty document is refused: ${JSON.stringify(read.problems)}`);
  const facts: Facts = { image, machine, instance: { platform: 'file', addresses: [], tags: {} } };
  return (containerd(read.config, facts).files ?? []).map(({ path, content }) => ({
    path: path.slice(1),
    text: String(content),
  }));
}

/** As the lowest layer of every document: one that sets something else of containerd keeps these. */
function defaultsOf(artifacts: readonly Artifact[]): JsonObject {
  const pause = pauseImage(artifacts);
  return { containerd: { snapshotter: 'overlayfs', ...(pause !== undefined && { sandboxImage: pause }) } };
}

/** `registry.k8s.io/pause:3.10`, if the image brings one. */
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
