import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verb } from './sim-imds.ts';
import { runVerb } from './testing.ts';
import type { CliDeps } from './verb.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/instance.json', import.meta.url));

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-sim-test-'));
  file = join(folder, 'instance.json');
  writeFileSync(file, readFileSync(EXAMPLE));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the verb until it has printed its answer, calls `visit`, then sends Ctrl-C. */
async function whileRunning(options: object, visit: (stdout: string) => Promise<void>): Promise<string> {
  const control = new AbortController();
  let stderr = '';
  const printed = Promise.withResolvers<string>();
  const deps: CliDeps = {
    stdout: (text) => printed.resolve(text),
    stderr: (text) => {
      stderr += text;
    },
    readStdin: () => new Uint8Array(),
    env: {},
    isTerminal: { stdout: false, stderr: false },
    nowUs: () => 0,
    signal: () => control.signal,
  };
  const running = verb.run([], { instance: file, port: '0', misbehave: [], ...options }, deps);
  await visit(await printed.promise);
  control.abort();
  await running;
  return stderr;
}

const ask = (url: string) => fetch(url, { headers: { metadata: 'true' } });

describe('headstart sim imds', () => {
  it('answers the printed request until Ctrl-C, and serves a changed file at once', async () => {
    const stderr = await whileRunning({}, async (stdout) => {
      const url = /'(http:[^']+)'/.exec(stdout)![1]!;
      expect(await (await ask(url)).json()).toMatchObject({ compute: { name: 'pool1-000003' } });
      writeFileSync(file, readFileSync(EXAMPLE, 'utf8').replaceAll('pool1-000003', 'pool1-000004'));
      expect(await (await ask(url)).json()).toMatchObject({ compute: { name: 'pool1-000004' } });
      writeFileSync(file, '{');
      expect((await ask(url)).status).toBe(500);
    });
    expect(stderr).toContain('of pool1-000003\n');
    expect(stderr).toContain('stopped after 3 requests');
  });

  it('applies the misbehaviours in order, and prints them', async () => {
    const stderr = await whileRunning({ misbehave: ['throttled:2', 'gone:1'] }, async (stdout) => {
      const url = /'(http:[^']+)'/.exec(stdout)![1]!;
      const statuses = [await ask(url), await ask(url), await ask(url), await ask(url)].map(({ status }) => status);
      expect(statuses).toEqual([429, 429, 410, 200]);
    });
    expect(stderr).toContain('throttled for 2 requests, then gone for 1 requests');
  });

  it('prints what the instance reports', async () => {
    const stderr = await whileRunning({ json: true }, async (stdout) => {
      const { kind, endpoint, instance, misbehave } = JSON.parse(stdout);
      expect({ kind, instance, misbehave }).toEqual({ kind: 'ImdsSimulator', instance: 'pool1-000003', misbehave: [] });
      const body = `<GoalStateIncarnation>1</GoalStateIncarnation><ContainerId>6f2c1a52-3b60-4b0c-9a35-0d8f5a1f2c11</ContainerId>
        <State>NotReady</State><SubStatus>ProvisioningFailed</SubStatus><Description>no lease</Description>`;
      await fetch(`${endpoint}/machine?comp=health`, {
        method: 'POST',
        headers: { 'x-ms-version': '2012-11-30' },
        body,
      });
    });
    expect(stderr).toContain('reported NotReady: ProvisioningFailed: no lease\n');
  });

  it('names every problem of an instance at once', async () => {
    writeFileSync(file, '{"vmId": "x", "colour": "red"}');
    const { code, stderr } = await runVerb(verb, ['--instance', file]);
    expect(code).toBe(2);
    for (const part of ['vmId', 'pool', 'macAddress', 'colour', 'sim/bad-instance']) expect(stderr).toContain(part);
  });

  it('reports a port that is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, stderr } = await runVerb(verb, ['--instance', file, '--port', String(port)]);
    server.close();
    expect({ code, isTold: stderr.includes('sim/port-taken') }).toEqual({ code: 2, isTold: true });
  });

  it.each([
    [['--instance', 'nowhere.json'], 'sim/instance-unreadable'],
    [['--instance', EXAMPLE, '--port', '99999'], 'sim/bad-number'],
    [['--instance', EXAMPLE, '--port', ''], 'sim/bad-number'],
    [['--instance', EXAMPLE, '--misbehave', 'sulk'], 'sim/bad-misbehaviour'],
    [['--instance', EXAMPLE, '--misbehave', 'gone:0'], 'sim/bad-misbehaviour'],
    [['--instance', EXAMPLE, '--misbehave', 'constructor'], 'sim/bad-misbehaviour'],
  ])('refuses %j with %s', async (argv, code) => {
    const ran = await runVerb(verb, argv);
    expect({ code: ran.code, isTold: ran.stderr.includes(code) }).toEqual({ code: 2, isTold: true });
  });
});
