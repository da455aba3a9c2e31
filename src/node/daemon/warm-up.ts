// node/daemon/warm-up.ts: what can the daemon do while a new node waits for its first document? Read a small document
// and discard the result, because the first read is slow.
import { type NodeContext, readAssignment } from './read-assignment.ts';

export async function warmUp(context: () => NodeContext): Promise<void> {
  try {
    const read = context();
    const { kubernetesVersion } = read.image;
    // YAML, to load the YAML library.
    const text = `apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\nspec: {kubernetes: {version: ${kubernetesVersion}}}\n`;
    const instance = { platform: 'file', addresses: [], tags: {} } as const;
    await readAssignment({ document: Buffer.from(text), instance, origin: '' }, read, { nowMs: 0 });
  } catch {
    // A problem of the image is reported when the real document is read.
  }
}
