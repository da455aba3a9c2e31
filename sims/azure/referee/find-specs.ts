// sims/azure/referee/find-specs.ts: where are Microsoft's specifications? They are not in the repository, because they belong to Microsoft.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** HEADSTART_AZURE_SPECS, or `shared/azure-specs` next to the repository. */
export function findSpecs(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const sibling = fileURLToPath(new URL('../../../../shared/azure-specs', import.meta.url));
  const folder = env.HEADSTART_AZURE_SPECS ?? sibling;
  return existsSync(join(folder, 'specification')) ? folder : undefined;
}
