// node/build/compile.cjs: compiles every function of a script with V8 and writes the code cache for the executable.
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// Only during compilation: V8 rejects a code cache if the flags at run time differ.
setFlagsFromString('--no-lazy');
const script = new Script(readFileSync('script', 'utf8'), { filename: 'headstart.js' });
setFlagsFromString('--lazy');
writeFileSync('compiled', script.createCachedData());
