import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const text = readFileSync(new URL('./first-file.cjs', import.meta.url), 'utf8');

/** Runs the file on a Node.js of this version, or on an imitation of one. */
function runOn(version: string) {
  const log: string[] = [];
  const required: string[] = [];
  const env: Record<string, string> = { NO_COLOR: '1', FORCE_COLOR: '1' };
  const process = { versions: { node: version }, execPath: '/usr/bin/node', env, exitCode: undefined };
  runInNewContext(text.replace(/^#!.*/, ''), {
    process: Object.assign(process, { stderr: { write: (line: string) => log.push(line) } }),
    require: (name: string) => required.push(name),
  });
  return { stderr: log.join(''), required, exitCode: process.exitCode, env };
}

describe('the first file of the npm package', () => {
  it.each(['0.10.48', '18.20.4', '20.20.2', '23.11.0'])(
    'on Node.js %s names what is needed, and exits 2',
    (version) => {
      const { stderr, required, exitCode } = runOn(version);
      expect({ required, exitCode }).toEqual({ required: [], exitCode: 2 });
      expect(stderr).toContain(`error: headstart needs Node.js 24 or newer; this is ${version}, /usr/bin/node\n`);
      expect(stderr).toMatch(/^next: {2}install Node\.js 24/m);
    },
  );

  it.each(['24.0.0', '24.21.0', '26.1.0'])('on Node.js %s starts the program', (version) => {
    const { stderr, required, exitCode, env } = runOn(version);
    expect({ stderr, required, exitCode }).toEqual({ stderr: '', required: ['./headstart.mjs'], exitCode: undefined });
    expect(env).toEqual({ NO_COLOR: '1' });
  });

  it('has only syntax that Node.js 6 knows', () => {
    const code = text.replaceAll(/^\s*\/\/.*$/gm, '');
    expect(code).not.toMatch(/=>|`|\?\.|\?\?|\basync\b|\bawait\b|\bimport\b|\bclass\b|\.\.\.|\{ \w+ \} =/);
    expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
  });

  it('needs the version that package.json names', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${/const NEEDED = (\d+)/.exec(text)![1]}`);
  });
});
