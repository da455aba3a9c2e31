// node/build/start.cjs: the entry point of the executable: runs the embedded script with its code cache.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const script = new Script(Buffer.from(getRawAsset('script')).toString(), {
  filename: 'headstart.js',
  cachedData: Buffer.from(getRawAsset('compiled')),
});
if (script.cachedDataRejected) process.emitWarning('V8 rejected the code cache of this executable');
script.runInThisContext()();
