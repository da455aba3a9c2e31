// cli/version.ts: `headstart version`: which version is this, of which commit, on which Node.js?
import { printJson } from './output/json.ts';
import type { Verb } from './verb.ts';

export interface VersionInfo {
  version: string;
  /** Set when headstart runs from a git checkout. */
  commit?: string;
}

/** `about` is called only when the verb runs: other verbs do not read these files. */
export function versionVerb(about: () => VersionInfo): Verb {
  return {
    examples: ['version', 'version --json'],
    configure: (command) => {
      command.option(
        '--json',
        'print one JSON document, with the version of Node.js and, in a checkout, the whole commit',
      );
    },
    run(_args, options: { json?: boolean }, deps) {
      const { version, commit } = about();
      if (options.json) {
        return printJson(deps, 'Version', { version, ...(commit && { commit }), node: process.versions.node });
      }
      deps.stdout(`${version}${commit ? ` (${commit.slice(0, 7)})` : ''}\n`);
    },
  };
}
