// node/build/bundle.ts: the verbs of `headstart node` with all they need as one script, the form a single executable takes.
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { licencesOf } from '../../base/licences.ts';

/** Paths are from the root of the tree. */
export const ENTRY = 'src/cli/node-bin.ts';

export interface NodeBundle {
  script: string;
  /** Of the packages that are part of it. */
  licences: string;
}

export async function bundleNode(root: string): Promise<NodeBundle> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: join(root, ENTRY),
    platform: 'node',
    plugins: [builtinsOnUse()],
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({ format: 'cjs', codeSplitting: false, comments: false });
    const [script, ...others] = output;
    if (script?.type !== 'chunk' || others.length > 0) throw new Error('the bundle is not one script');
    return { script: script.code, licences: licencesOf(script.moduleIds) };
  } finally {
    await build.close();
  }
}

const PREFIX = '\0builtin:';

/**
 * A module that is imported on demand is set up on demand, but what it takes from Node itself would be loaded at the top of the
 * script: TLS, HTTP and the rest take longer than all else until the first line of the log. As modules of their own they wait, too.
 */
function builtinsOnUse(): Plugin {
  const builtins = new Set(builtinModules);
  return {
    name: 'builtins-on-use',
    resolveId(id, importer) {
      const name = id.replace(/^node:/, '');
      return builtins.has(name) && !importer?.startsWith(PREFIX) ? `${PREFIX}node:${name}` : null;
    },
    load(id) {
      if (!id.startsWith(PREFIX)) return null;
      // A name of the run time, not of the bundler, which would put it at the top again.
      return `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(PREFIX.length))});`;
    },
  };
}
