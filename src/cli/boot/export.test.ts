import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bootRecord, unit } from '../../boot/testing.ts';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'export-'));
afterAll(() => rmSync(folder, { recursive: true }));
const BOOT = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';
const stdin = JSON.stringify(bootRecord({ units: [unit('app.service', 3, 5)] }));

describe('headstart boot export', () => {
  it('writes the boot record, which can be read again', async () => {
    const path = join(folder, 'record.json');
    expect(await run(['boot', 'export', '-i', BOOT, '-o', path])).toMatchObject({ code: 0, stdout: '' });
    const again = await run(['boot', 'export', '-i', path]);
    const [first, second] = [readFileSync(path, 'utf8'), again.stdout].map((text) => JSON.parse(text));
    expect(first).toMatchObject({ kind: 'BootRecord', bootId: BOOT_ID });
    expect(second.units).toEqual(first.units);
    expect(second.spans).toEqual(first.spans);
  });

  it('writes a trace for Perfetto, a trace for OpenTelemetry, and a table', async () => {
    const chrome = JSON.parse((await run(['boot', 'export', '--format', 'chrome-trace', '-i', BOOT])).stdout);
    expect(chrome.traceEvents.some((event: { name: string }) => event.name === 'cloud-final.service')).toBe(true);
    const otlp = JSON.parse((await run(['boot', 'export', '--format', 'otlp-json', '-i', BOOT])).stdout);
    expect(otlp.resourceSpans[0].scopeSpans[0].spans[0].traceId).toBe(BOOT_ID);
    const { stdout } = await run(['boot', 'export', '--format', 'csv', '-i', BOOT]);
    expect(stdout.split('\r\n')[0]).toContain('start_us');
  });

  it('prints what would be sent and where with --dry-run, and sends nothing', async () => {
    const { code, stdout } = await run(['boot', 'export', '--otlp', 'http://127.0.0.1:1', '--dry-run', '-i', BOOT]);
    expect(code).toBe(0);
    expect(stdout).toContain(`would send trace ${BOOT_ID}`);
    expect(stdout).toContain('http://127.0.0.1:1/v1/traces');
  });

  it('sends the trace to the collector', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(200, { connection: 'close' }).end('{}');
      });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stdout } = await run(['boot', 'export', '--otlp', url, '-i', BOOT, '--json']);
    await new Promise((done) => server.close(done));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'BootExport', traceId: BOOT_ID, tries: 1 });
    expect(JSON.parse(bodies[0]!).resourceSpans).toHaveLength(1);
  });

  it('reads the URL from the environment if it is to send, and only then', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    const asked = await run(['boot', 'export', BOOT, '--otlp', '--dry-run'], { env });
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('to http://collector:4318/v1/traces') });
    expect((await run(['boot', 'export', BOOT], { env })).stdout).toContain('"kind": "BootRecord"');
    expect((await run(['boot', 'export', BOOT, '--otlp'])).code).toBe(2);
  });

  it.each([
    [['--format', 'parquet'], 'boot/bad-export'],
    [['--format', 'constructor'], 'boot/bad-export'],
    [['--format', 'csv', '--otlp', 'http://localhost'], 'boot/bad-export'],
    [['--dry-run'], 'boot/bad-export'],
    [['--format', 'otlp-json'], 'boot/no-wall-time'],
    [['--otlp', 'localhost:4318'], 'boot/'],
  ])('refuses %j with exit 2', async (args, text) => {
    const { code, stdout, stderr } = await run(['boot', 'export', '-i', '-', ...args], { stdin });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });
});
