// node/build/compile.cjs: what does V8 make of a script, every function of it? Beside the script, for the executable that it becomes part of.
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// Only while it is compiled: what was compiled under other options than it is run with does not fit.
setFlagsFromString('--no-lazy');
const script = new Script(readFileSync('script', 'utf8'), { filename: 'headstart.js' });
setFlagsFromString('--lazy');
writeFileSync('compiled', script.createCachedData());
