// image/manifest/manifest-problem.ts: what is wrong with a manifest, and where?
import { ofTheWhole } from '../../schema/problem.ts';

export interface ManifestProblem {
  /** Rendered as `components[3].versions[0].sources`; empty for the manifest as a whole. */
  path: readonly (string | number)[];
  message: string;
  /** Counts from 1; undefined when the text is not available. */
  line?: number | undefined;
}

/** `line 12: components[3].kind: …` */
export function renderManifestProblem({ path, message, line }: ManifestProblem): string {
  const where = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
  const what = where === '' ? ofTheWhole('the manifest', message) : `${where}: ${message}`;
  return line === undefined ? what : `line ${line}: ${what}`;
}
