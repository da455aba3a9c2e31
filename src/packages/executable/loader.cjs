// packages/executable/loader.cjs: the entry point of the executable: loads the chunks of the program from its assets, each when it is needed.
// A worker thread runs this text, too, and then loads its own chunk.
const { dirname, join } = require('node:path');
const { getAsset } = require('node:sea');
const { constants, Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const loaded = new Map();

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module); // before it runs: chunks may import each other
  const words = 'exports, require, module, __filename, __dirname';
  const script = new Script(`(function (${words}) {${getAsset(name, 'utf8')}\n})`, {
    filename: name,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // Packages look for optional files next to themselves.
  const folder = dirname(process.execPath);
  script.runInThisContext()(module.exports, requireFromChunk, module, join(folder, name), folder);
  return module.exports;
}

function requireFromChunk(name) {
  if (name.startsWith('./')) return load(name.slice(2));
  const builtin = process.getBuiltinModule(name);
  if (builtin) return builtin;
  // Packages try others, which are optional, and go on without them.
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
}

function start() {
  // Node.js warns when both are set, and its warning is wrong for us: NO_COLOR wins.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  const [self, , word, name, ...args] = process.argv;
  if (word !== '__program') return load('headstart.js');
  // Another program of the executable, such as the one that QEMU starts for a guest: a warning would reach the guest.
  process.removeAllListeners('warning');
  process.argv = [self, name, ...args];
  return load(name);
}

if (isMainThread) start();
