// image/test/document.ts: what is a node told that is booted only to be looked at? As little as makes it one: a kubelet on its own.

export function testDocument(kubernetes: string): string {
  return JSON.stringify({
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation: 1, id: 'image-test' },
    // Nobody is there whom it could join.
    spec: { kubernetes: { version: kubernetes }, update: { health: { requireNodeReady: false } } },
  });
}
