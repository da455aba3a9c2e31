// image/manifest/manifests.testing.ts: a small valid manifest and variants of it, for tests.
import type { Manifest } from './manifest.ts';
import { renderManifestProblem } from './manifest-problem.ts';
import { parseManifest, readManifest } from './read-manifest.ts';

export const SHA = 'ab'.repeat(32);

/** Indented as an entry of `components`. */
export const KUBELET = `  - name: kubelet
    kind: binary
    licence: Apache-2.0
    reason: the node agent
    versions:
      - version: 1.35.8
        sources: { amd64: { origin: upstream:kubernetes, path: v1.35.8/kubelet, sha256: ${SHA} } }
    install: { to: /usr/bin/kubelet }
`;

export const CONTAINERD = `  - name: containerd
    kind: deb
    version: 1.7.24-1
    licence: Apache-2.0
    reason: runs containers
`;

export function manifestText(components = `${CONTAINERD}${KUBELET}`, top = '', kubernetes = '1.35.8'): string {
  return `apiVersion: headstart.dev/v1
kind: ImageManifest
name: node
base: { origin: debian:bookworm }
kubernetes: [${kubernetes}]
${top}components:
${components}`;
}

export function fileText(name: string, to: string, content: string): string {
  return `  - name: ${name}
    kind: file
    licence: Apache-2.0
    reason: a test
    install: { to: ${to} }
    content: ${JSON.stringify(content)}
`;
}

export function debText(name: string, version: string, constraints: readonly string[] = []): string {
  return `  - name: ${name}
    kind: deb
    version: ${JSON.stringify(version)}
    licence: Apache-2.0
    reason: a test
    constraints: ${JSON.stringify(constraints)}
`;
}

export function aManifest(components?: string, kubernetes?: string): Promise<Manifest> {
  return readManifest(manifestText(components, '', kubernetes), 'image.yaml');
}

/** All problems of the text, as the CLI prints them. */
export async function problemsOf(text: string): Promise<string[]> {
  const parsed = await parseManifest(text);
  return 'problems' in parsed ? parsed.problems.map(renderManifestProblem) : [];
}
