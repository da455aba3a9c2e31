import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildChart, digestOfLayout, writeChart } from './build.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-chart-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('writes the packaged chart and its index, and removes older ones', () => {
  const chart = buildChart(DIGEST);
  writeFileSync(join(folder, 'vmss-prototype-0.0.1.tgz'), 'old');
  writeChart(chart, folder);
  expect(readdirSync(folder).sort()).toEqual(['index.yaml', chart.fileName]);
  expect(readFileSync(join(folder, 'index.yaml'), 'utf8')).toContain(`- ${chart.fileName}`);
  expect(buildChart(DIGEST)).toEqual(chart);
});

it('reads the digest of the built image, and says what to run if there is none', () => {
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ manifests: [{ digest: DIGEST }] }));
  expect(digestOfLayout(folder)).toBe(DIGEST);
  const none = join(folder, 'none');
  expect(existsSync(none)).toBe(false);
  expect(() => digestOfLayout(none)).toThrow(
    expect.objectContaining({ code: 'container/no-image', next: expect.stringContaining('make image') }),
  );
});
