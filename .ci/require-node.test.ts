import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const module = fileURLToPath(new URL('require-node.ts', import.meta.url));

function under(version: string) {
  const script = `Object.defineProperty(process, 'version', { value: '${version}' }); (await import('${module}')).requireNode();`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

it.each(['v18.19.0', 'v20.20.2', 'v22.12.0'])('the tests refuse Node.js %s and say what to do', (version) => {
  const { status, stderr } = under(version);
  expect(status).toBe(2);
  expect(stderr).toContain(`is ${version}`);
  expect(stderr).toMatch(/^next: {2}run `npm test` or `make test`, or put node_modules\/\.bin first on PATH/m);
});

it.each(['v24.0.0', 'v26.1.0'])('the tests run under Node.js %s', (version) => {
  expect(under(version)).toMatchObject({ status: 0, stderr: '' });
});
