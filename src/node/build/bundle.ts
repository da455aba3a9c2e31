// node/build/bundle.ts: how do the verbs of `headstart node` and their modules become one script, as a single executable requires?
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { licencesOf } from '../../base/licences.ts';

/** Relative to the root of the source tree. */
export const ENTRY = 'src/cli/node-bin.ts';

export interface NodeBundle {
  script: string;
  /** Licences of the packages in the script. */
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
 * A module that is imported on demand also runs on demand, but the bundler would load the Node.js modules it uses at the top of the
 * script. TLS, HTTP and others would take longer than everything else before the first log line. As virtual modules they load on demand, too.
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
      // Not require(), which the bundler would move to the top again.
      return `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(PREFIX.length))});`;
    },
  };
}
