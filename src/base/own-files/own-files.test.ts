import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ownLauncher, ownPath, ownProgram, ownText, ownWorker } from './own-files.ts';

const self = new URL('./own-files.test.ts', import.meta.url);
const path = fileURLToPath(self);

it('files of a checkout are read where they are', () => {
  expect(ownText(self)).toContain('are read where they are');
  expect(ownPath(self)).toBe(path);
  expect(ownLauncher(self)).toBe(path);
});

it('programs of a checkout run on the same Node.js', () => {
  expect(ownProgram(self)).toEqual([process.execPath, '--no-warnings', path]);
  expect(ownProgram(self, ['--jitless'])).toEqual([process.execPath, '--jitless', path]);
});

it('programs of the executable are called through it', () => {
  expect(ownProgram(new URL('embedded:///relay.js'))).toEqual([process.execPath, '__program', 'relay.js']);
  expect(ownProgram(new URL('embedded:///headstart.js'))).toEqual([process.execPath]);
  expect(ownLauncher(new URL('../headstart', 'embedded:///src/cli.ts'))).toBe(process.execPath);
});

it('a worker of a checkout runs its source', async () => {
  const source = new URL(
    `data:text/javascript,${encodeURIComponent("import('node:worker_threads').then((w) => w.parentPort.postMessage(w.workerData))")}`,
  );
  const worker = ownWorker(source, { workerData: 42 });
  expect(await once(worker, 'message')).toEqual([42]);
  await worker.terminate();
});
