import { expect, test } from 'vitest';
import { run } from '../../../../cli/testing.ts';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { nodeadmLogSource } from './nodeadm-log.ts';

const LOG = `{"level":"info","ts":1711089818.4551878,"caller":"init/init.go:49","msg":"Checking user is root.."}
{"level":"info","ts":1711089818.4622667,"caller":"init/init.go:57","msg":"Loading configuration..","configSource":"imds://user-data"}
{"level":"info","ts":1711089819.5107644,"caller":"init/init.go:66","msg":"Loaded configuration","config":{"spec":{}}}
SDK 2024/03/22 06:43:39 DEBUG attempting waiter request, attempt count: 1
{"level":"info","ts":1711089819.6,"caller":"init/init.go:133","msg":"Ensuring daemon is running..","name":"kubelet"}
{"level":"info","ts":1711089823.6,"caller":"init/init.go:138","msg":"Daemon is running","name":"kubelet"}
`;

sourceSuite(nodeadmLogSource, LOG);

test('gives the steps on the wall clock', async () => {
  expect(nodeadmLogSource.parse(memoryInput('n', LOG))[0]!.spans).toMatchObject([
    { name: 'nodeadm: load configuration', startUs: 1_711_089_818_462_267, endUs: 1_711_089_819_510_764 },
    { name: 'nodeadm: start kubelet', unit: 'nodeadm-run.service' },
  ]);
  expect(await run(['boot', 'timeline', '-'], { stdin: LOG })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('4s'),
  });
});

test('another program that logs in the same format is not nodeadm', () => {
  const other = '{"level":"error","ts":1711089818.1,"caller":"a/b.go:1","msg":"no"}\n'.repeat(5);
  expect(nodeadmLogSource.recognise(memoryInput('n', other))).toBe(0);
});
