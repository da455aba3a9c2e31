import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { describe, expect, it } from 'vitest';
import { type ChartSource, packageChart } from './package-chart.ts';

const source: ChartSource = {
  files: new Map(
    Object.entries({
      'Chart.yaml': 'apiVersion: v2\nname: example\nversion: 0.0.0\n# of the program\nappVersion: 0.0.0\n',
      'values.yaml': "image:\n  tag: ''\n  # of the image\n  digest: ''\n",
      'templates/job.yaml': 'kind: Job\n',
    }).map(([path, text]) => [path, Buffer.from(text)]),
  ),
  version: '1.2.3',
  imageDigest: 'sha256:abc',
};
const entriesOf = (bytes: Uint8Array) =>
  parseTar(new Uint8Array(gunzipSync(bytes))).filter(({ type }) => type === 'file');

describe('packageChart', () => {
  const packed = packageChart(source);
  const text = (path: string) => entriesOf(packed.bytes).find(({ name }) => name === `example/${path}`)?.text;

  it('has every file of the chart below its name', () => {
    expect(packed.fileName).toBe('example-1.2.3.tgz');
    expect(entriesOf(packed.bytes).map(({ name }) => name)).toEqual(
      [...source.files.keys()].map((path) => `example/${path}`).sort(),
    );
    expect(text('templates/job.yaml')).toBe('kind: Job\n');
  });

  it("sets the versions and the image's digest, and keeps all other lines", () => {
    expect(text('Chart.yaml')).toBe(
      'apiVersion: v2\nname: example\nversion: 1.2.3\n# of the program\nappVersion: 1.2.3\n',
    );
    expect(text('values.yaml')).toBe("image:\n  tag: ''\n  # of the image\n  digest: sha256:abc\n");
  });

  it('returns the same bytes for the same files in any order', () => {
    const reversed = { ...source, files: new Map([...source.files].reverse()) };
    expect(Buffer.from(packageChart(reversed).bytes).equals(packed.bytes)).toBe(true);
  });

  it('refuses values in which it cannot set the digest', () => {
    const files = new Map([...source.files, ['values.yaml', Buffer.from('image: {}\n')]] as const);
    expect(() => packageChart({ ...source, files })).toThrow('expected one line "digest: …" in the chart, got 0');
  });
});
