// node/daemon/warm-up.ts: what can be done while a new node waits for its first document? Reading one is slow the first time, so a small one
// is read meanwhile; nobody looks at the result.
import { type NodeContext, readAssignment } from './read-assignment.ts';

export async function warmUp(context: () => NodeContext): Promise<void> {
  try {
    const read = context();
    const { kubernetesVersion } = read.image;
    // YAML, as people write it: the library for it is loaded by it.
    const text = `apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\nspec: {kubernetes: {version: ${kubernetesVersion}}}\n`;
    const instance = { platform: 'file', addresses: [], tags: {} } as const;
    await readAssignment({ document: Buffer.from(text), instance, origin: '' }, read, { nowMs: 0 });
  } catch {
    // Whatever is wrong with the image is said when there is a document.
  }
}
