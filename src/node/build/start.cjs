// node/build/start.cjs: the first lines that the executable runs: the script beside them, as it was compiled when the executable was made.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const script = new Script(Buffer.from(getRawAsset('script')).toString(), {
  filename: 'headstart.js',
  cachedData: Buffer.from(getRawAsset('compiled')),
});
if (script.cachedDataRejected) process.emitWarning('the code that was compiled for this executable does not fit it');
script.runInThisContext()();
