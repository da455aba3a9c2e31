// e2e/chart-package.test.ts: is the packaged chart what the real Helm would pack, and does Helm install it from a file and from a repository?
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../src/base/command.ts';
import { buildChart, writeChart } from '../src/container/chart/build.ts';
import { CHART, podOf, render } from './labs/chart-render.ts';
import { ensureHelm, type HelmTools } from './programs/ensure-helm.ts';

const DIGEST = `sha256:${'d'.repeat(64)}`;
const folder = mkdtempSync(join(tmpdir(), 'headstart-chart-'));
const packaged = join(folder, 'packaged');
const chart = buildChart(DIGEST);
const file = join(packaged, chart.fileName);
const env = { ...process.env, HELM_CACHE_HOME: join(folder, 'cache'), HELM_CONFIG_HOME: join(folder, 'config') };

let tools: HelmTools;
let server: Server;
let repository: string;
beforeAll(async () => {
  tools = await ensureHelm();
  writeChart(chart, packaged);
  server = createServer((request, response) => {
    const bytes = chart.files.get((request.url ?? '').slice(1));
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  repository = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true });
});

async function helm(...args: string[]): Promise<string> {
  const ran = await runCommand([tools.helm, ...args], { env });
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout.toString();
}

function unpacked(archive: string): Map<string, string> {
  const entries = parseTar(new Uint8Array(gunzipSync(readFileSync(archive))));
  return new Map(entries.filter(({ type }) => type === 'file').map(({ name, text }) => [name, text]));
}

describe('the packaged chart', () => {
  test('has the files that `helm package` packs from the same values', async () => {
    const source = join(folder, 'vmss-prototype');
    await runCommand(['cp', '-r', CHART, source]);
    const values = readFileSync(join(source, 'values.yaml'), 'utf8');
    writeFileSync(join(source, 'values.yaml'), values.replace("  digest: ''", `  digest: ${DIGEST}`));
    await helm('package', source, '--destination', folder);
    const [theirs, ours] = [unpacked(join(folder, chart.fileName)), unpacked(file)];
    const parsed = (files: Map<string, string>) =>
      // Helm writes Chart.yaml again, without comments.
      new Map([...files].map(([path, text]) => [path, path.endsWith('/Chart.yaml') ? parse(text) : text]));
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort());
    expect(parsed(ours)).toEqual(parsed(theirs));
  });

  test('passes the checks of Helm', async () => {
    const said = await helm('lint', '--strict', file, '--set', 'image.repository=headstart');
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  test('names the image by its digest, or by a tag if the digest is set to empty', () => {
    const imageOf = (values: object) => podOf(render(tools, { image: values } as never, { chart: file })).containers[0];
    expect(imageOf({ repository: 'a.example/b' })).toMatchObject({ image: `a.example/b@${DIGEST}` });
    expect(imageOf({ digest: '' })).toMatchObject({ image: 'headstart:0.1.0' });
  });
});

describe('the repository', () => {
  test('has the index that `helm repo index` makes', async () => {
    const theirs = join(folder, 'theirs');
    mkdirSync(theirs);
    writeFileSync(join(theirs, chart.fileName), readFileSync(file));
    await helm('repo', 'index', theirs);
    const read = (path: string) => {
      const { entries, generated: _, ...others } = parse(readFileSync(join(path, 'index.yaml'), 'utf8'));
      const [{ created: __, ...entry }, ...more] = entries['vmss-prototype'];
      return { ...others, names: Object.keys(entries), entry, more };
    };
    expect(read(packaged)).toEqual(read(theirs));
  });

  test('is one that Helm finds, downloads from and verifies', async () => {
    await helm('repo', 'add', 'here', repository);
    expect(await helm('search', 'repo', 'vmss', '--output', 'json')).toContain('"version":"0.1.0"');
    await helm('pull', 'here/vmss-prototype', '--destination', join(folder));
    expect(readFileSync(join(folder, chart.fileName)).equals(readFileSync(file))).toBe(true);
    const rendered = await helm('template', 'x', 'vmss-prototype', '--repo', repository, '--set', 'image.repository=r');
    expect(rendered).toContain(`r@${DIGEST}`);
  });
});
