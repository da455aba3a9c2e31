import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verb } from './sim-azure.ts';
import { runVerb } from './testing.ts';
import type { CliDeps } from './verb.ts';

const BIN = fileURLToPath(new URL('./bin.ts', import.meta.url));
const SCENARIO = fileURLToPath(new URL('../../sims/azure/scenarios/three-nodes.yaml', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-sim-test-'));
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
  const running = verb.run([], { scenario: SCENARIO, port: '0', speed: '100', ...options }, deps);
  await visit(await printed.promise);
  control.abort();
  await running;
  return stderr;
}

async function withTmpdir<T>(place: string, work: () => Promise<T>): Promise<T> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = place;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function get(url: string, ca: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('headstart sim azure', () => {
  it('listens with a certificate of the printed CA until Ctrl-C, and leaves nothing behind', async () => {
    let caPath = '';
    const stderr = await whileRunning({}, async (stdout) => {
      const env = Object.fromEntries(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.replace('export ', '').split('=')),
      );
      caPath = env.NODE_EXTRA_CA_CERTS;
      const endpoints = `${env.HEADSTART_AZURE_ENDPOINT}/subscriptions?api-version=2022-12-01`;
      expect(await get(endpoints, readFileSync(caPath, 'utf8'))).toBe(401);
    });
    expect(stderr).toContain('stopped after 1 requests');
    expect(existsSync(caPath)).toBe(false);
  });

  it('prints one document with --json', async () => {
    await whileRunning({ json: true }, async (stdout) => {
      const { kind, endpoint, env, speed } = JSON.parse(stdout);
      expect({ kind, speed }).toEqual({ kind: 'AzureSimulator', speed: 100 });
      expect(env.HEADSTART_AZURE_ENDPOINT).toBe(endpoint);
    });
  });

  it('starts with three nodes by default, each with a disk that ssh reaches', async () => {
    let ssh = '';
    await whileRunning({ scenario: undefined, json: true }, async (stdout) => {
      ssh = JSON.parse(stdout).env.HEADSTART_SSH;
      const hosts = ['k8s-pool1-12345678-vmss000000', 'k8s-pool1-12345678-vmss000002', 'k8s-pool1-12345678-vmss000003'];
      expect(hosts.map((host) => spawnSync(ssh, ['-T', '--', host, 'true']).status)).toEqual([0, 0, 255]);
    });
    expect(existsSync(ssh)).toBe(false);
  });

  it('has donors that a plan can inspect without a cluster, despite a proxy setting', async () => {
    await whileRunning({ json: true }, async (stdout) => {
      const elsewhere = { HTTPS_PROXY: 'http://127.0.0.1:9', HEADSTART_VMS: 'qemu' };
      const env = { ...process.env, ...elsewhere, ...JSON.parse(stdout).env };
      const words = 'prototype plan --inspect --no-cluster --over-ssh --pool k8s-pool1-12345678-vmss'.split(' ');
      const ran = await promisify(execFile)(process.execPath, [BIN, ...words], { env });
      expect(ran.stdout).toContain('the custom data found on the donor (/var/lib/waagent/ovf-env.xml)');
    });
  });

  it('prints lines that a shell can source, even if the temporary folder has a blank in its name', async () => {
    const spaced = join(folder, "it's here");
    mkdirSync(spaced);
    const visit = async (stdout: string) => {
      const shell = ['-c', `${stdout}"$HEADSTART_SSH" -- k8s-pool1-12345678-vmss000000 true && echo "$HEADSTART_HOME"`];
      expect(spawnSync('/bin/sh', shell, { encoding: 'utf8' }).stdout).toContain(spaced);
    };
    await withTmpdir(spaced, () => whileRunning({}, visit));
  });

  it('reports a temporary folder that cannot be made, before anything is started', async () => {
    const none = join(folder, 'none');
    const ran = await withTmpdir(none, () => runVerb(verb, []));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`cannot make a temporary folder in ${none}: its folder does not exist`);
    expect(ran.stderr).toContain('TMPDIR');
  });

  it('leaves no temporary folder when it cannot start', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const ran = await withTmpdir(folder, () => runVerb(verb, ['--port', String(port)]));
    holder.close();
    expect(ran.code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a port that is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const ran = await runVerb(verb, ['--port', String(port)]);
    holder.close();
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`port ${port} is in use`);
  });

  it('names every problem of a scenario at once', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'cluster: x\nscaleSets:\n  - { name: a, instances: -1, colour: red }\n  - { name: A }\n');
    const { code, stderr } = await runVerb(verb, ['--scenario', file]);
    expect(code).toBe(2);
    for (const part of ['resourceGroup', 'scaleSets.0.instances', 'colour', 'sim/bad-scenario']) {
      expect(stderr).toContain(part);
    }
  });

  it('names the image that its instances cannot use', async () => {
    const file = join(folder, 'no-such-image.yaml');
    const id = '/subscriptions/S/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0';
    writeFileSync(file, `{cluster: x, resourceGroup: g, scaleSets: [{name: a, image: {id: ${id}}}]}`);
    const { code, stderr } = await runVerb(verb, ['--scenario', file]);
    expect(code).toBe(2);
    for (const part of ['versions/1.0.0', 'sim/bad-scenario']) expect(stderr).toContain(part);
  });

  it.each([
    [['--scenario', 'nowhere.yaml'], 'sim/scenario-unreadable'],
    [['--scenario', SCENARIO, '--speed', '0'], 'sim/bad-number'],
    [['--scenario', SCENARIO, '--port', '99999'], 'sim/bad-number'],
  ])('refuses %j with %s', async (argv, code) => {
    const ran = await runVerb(verb, argv);
    expect({ code: ran.code, isTold: ran.stderr.includes(code) }).toEqual({ code: 2, isTold: true });
  });
});
