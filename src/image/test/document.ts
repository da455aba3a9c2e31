// image/test/document.ts: which node config does a test VM get? The minimum that starts a standalone kubelet.

export function testDocument(kubernetes: string): string {
  return JSON.stringify({
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation: 1, id: 'image-test' },
    // There is no cluster to join, so the node never becomes Ready.
    spec: { kubernetes: { version: kubernetes }, update: { health: { requireNodeReady: false } } },
  });
}
