import { describe, expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { parseConsole } from '../logs/console-log.ts';
import { journalTextSource } from '../logs/journal-text.ts';
import { ignitionFacts, parseIgnitionLine } from './ignition-lines.ts';

const JOURNAL = `[    5.000000] localhost ignition[612]: Ignition 2.14.0
[    5.010000] localhost ignition[612]: Stage: fetch-offline
[    5.100000] localhost ignition[612]: fetch-offline: fetch-offline passed
[    5.110000] localhost ignition[612]: Ignition finished successfully
[    6.000000] localhost ignition[700]: Ignition 2.14.0
[    6.000100] localhost ignition[700]: Stage: fetch
[    6.100000] localhost ignition[700]: GET https://user:pw@config.example/node.ign?token=secret: attempt #1
[    8.100000] localhost ignition[700]: GET https://user:pw@config.example/node.ign?token=secret: attempt #2
[    9.100000] localhost ignition[700]: GET result: OK
[    9.300000] localhost ignition[700]: fetch: fetch passed
[   12.000000] localhost ignition[800]: INFO     : Stage: files
[   12.100000] localhost ignition[800]: INFO     : files: createFiles: op(3): [started]  writing file "/sysroot/opt/kubelet"
[   12.110000] localhost ignition[800]: INFO     : files: op(4): [started]  processing unit "a.service"
[   12.120000] localhost ignition[800]: INFO     : files: op(4): [finished] processing unit "a.service"
[   16.100000] localhost ignition[800]: INFO     : files: createFiles: op(3): [finished] writing file "/sysroot/opt/kubelet"
[   16.200000] localhost ignition[800]: INFO     : files: files passed
[   17.000000] localhost ignition[900]: Stage: mount
`;

describe('Ignition in the journal', () => {
  const [boot] = journalTextSource.parse(memoryInput('j.txt', JOURNAL), { nowUs: 0 });

  test('gives its stages, long operations and waits; a stage without an end is left out', () => {
    expect(boot!.spans.map(({ name, unit, startUs, endUs }) => [name, unit, startUs, endUs])).toEqual([
      ['ignition fetch-offline', 'ignition-fetch-offline.service', 5e6, 5.11e6],
      ['ignition fetch', 'ignition-fetch.service', 6e6, 9.3e6],
      ['request to config.example', 'ignition-fetch.service', 6.1e6, 9.1e6],
      ['ignition files', 'ignition-files.service', 12e6, 16.2e6],
      ['writing file "/sysroot/opt/kubelet"', 'ignition-files.service', 12.1e6, 16.1e6],
    ]);
    expect(boot!.spans[2]).toMatchObject({ wait: 'server: until config.example answers', parent: 'ignition:fetch' });
  });

  test('shows no address, which may contain a token', () => {
    expect(JSON.stringify(boot)).not.toMatch(/secret|user:pw/);
  });

  test('is the same on a console', () => {
    const [console] = parseConsole(memoryInput('c', JOURNAL.replaceAll('] localhost', ']')));
    expect(console!.spans).toEqual(boot!.spans);
  });
});

test('a failed stage is marked, and the reason is told', () => {
  const at = (message: string, atUs: number) => ({ ...parseIgnitionLine(message)!, atUs });
  const { spans, notes } = ignitionFacts([at('Stage: disks', 1e6), at('Ignition failed: no disk', 4e6)]);
  expect(spans).toMatchObject([{ name: 'ignition disks', result: 'fail', endUs: 4e6 }]);
  expect(notes[0]!.text).toBe('Ignition failed: no disk');
});

test.each(['', 'Ignition', 'reading system config file', 'Stage: ', 'a: b passed', 'op(1): [begun] x'])(
  'ignores %j',
  (text) => {
    expect(parseIgnitionLine(text)).toBeUndefined();
  },
);
