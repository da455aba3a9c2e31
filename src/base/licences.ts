// base/licences.ts: which licence texts must a bundle include?
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `modules`: the source files of the bundle. Only packages in node_modules are third-party. */
export function licencesOf(modules: readonly string[]): string {
  return packagesOf(modules)
    .map((folder) => {
      const name = folder.slice(folder.lastIndexOf('/node_modules/') + '/node_modules/'.length);
      return `== ${name}\n\n${licenceTexts(folder).join('\n\n')}\n`;
    })
    .join('\n');
}

function packagesOf(modules: readonly string[]): string[] {
  const folders = modules
    .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

function licenceTexts(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
}
