import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import vm, { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { bundleProgram } from '../../container/bundle.ts';
import { ownPrograms } from '../../container/own-programs.ts';

const text = readFileSync(new URL('./loader.cjs', import.meta.url), 'utf8');

interface Place {
  argv?: string[];
  env?: Record<string, string>;
  isMainThread?: boolean;
}

/** Runs the loader with these assets. They call `log`. */
function run(assets: Record<string, string>, { argv = [], env = {}, isMainThread = true }: Place = {}, more = '') {
  const log: unknown[] = [];
  Object.assign(globalThis, { log: (value: unknown) => log.push(value) }); // chunks run in this context
  const process = {
    execPath: '/bin/headstart',
    argv: ['/bin/headstart', '/bin/headstart', ...argv],
    env,
    getBuiltinModule: (name: string) => globalThis.process.getBuiltinModule(name),
    removeAllListeners: (name: string) => log.push(`no ${name}`),
  };
  const modules: Record<string, unknown> = {
    'node:path': path,
    'node:sea': { getAsset: (name: string) => assets[name] },
    'node:vm': vm,
    'node:worker_threads': { isMainThread },
  };
  runInNewContext(text + more, { require: (name: string) => modules[name], process });
  return { log, argv: process.argv, env };
}

describe('the loader of the executable', () => {
  it('runs the command line, and each chunk once, when it is needed', () => {
    const { log } = run({
      'headstart.js': "log('start'); log(require('./a.js').b + require('./a.js').b); exports.done = 1;",
      'a.js': "log('a'); exports.b = require('./b.js').name;",
      'b.js': "exports.name = require('node:path').basename('/x/y');",
      'unused.js': "log('unused');",
    });
    expect(log).toEqual(['start', 'a', 'yy']);
  });

  it('loads chunks that import each other', () => {
    const { log } = run({
      'headstart.js': "exports.early = 1; require('./a.js');",
      'a.js': "log(require('./headstart.js').early);",
    });
    expect(log).toEqual([1]);
  });

  it('runs another program, with its arguments and without warnings', () => {
    const { log, argv } = run({ 'relay.js': "log('relay');" }, { argv: ['__program', 'relay.js', 'host', '80'] });
    expect(log).toEqual(['no warning', 'relay']);
    expect(argv).toEqual(['/bin/headstart', 'relay.js', 'host', '80']);
  });

  it('runs only the chunk of a worker thread in that thread', () => {
    const assets = { 'headstart.js': "log('start');", 'worker.js': "log('worker');" };
    expect(run(assets, { isMainThread: false }, '\nload("worker.js");').log).toEqual(['worker']);
  });

  it('has no package besides its chunks', () => {
    const chunk = "try { require('kerberos'); } catch (error) { log(error.code); }";
    expect(run({ 'headstart.js': chunk }).log).toEqual(['MODULE_NOT_FOUND']);
  });

  it('loads every chunk of this tree', async () => {
    const root = join(import.meta.dirname, '../../..');
    const folder = mkdtempSync(join(tmpdir(), 'headstart-chunks-'));
    try {
      const { chunks } = await bundleProgram(root, { kind: 'embedded', extension: '.js' });
      for (const { path: name, bytes } of chunks) writeFileSync(join(folder, name), bytes);
      writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.3" }');
      const programs = ownPrograms(root).map(({ name }) => `${name}.js`);
      const names = chunks.map(({ path: name }) => name).filter((name) => !programs.includes(name));
      const assets = `require('node:sea').getAsset = (name) => require('node:fs').readFileSync(name, 'utf8');`;
      const all = `process.argv = ['x', 'x', 'version']; for (const name of ${JSON.stringify(names)}) load(name);`;
      const script = assets + text.replace('if (isMainThread) start();', all);
      const ran = spawnSync(process.execPath, ['--no-warnings', '-e', script], { cwd: folder, encoding: 'utf8' });
      expect(ran).toMatchObject({ stderr: '', stdout: '1.2.3\n' });
      expect(names.length).toBeGreaterThan(200);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lets NO_COLOR win', () => {
    expect(run({ 'headstart.js': '' }, { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }).env).toEqual({ NO_COLOR: '1' });
  });
});
