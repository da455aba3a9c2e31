// container/chart/package-chart.ts: the chart as `helm package` packs it, with its image's digest. The bytes depend only on the input.
import { type LayerFile, layerOf } from '../layer.ts';

export interface ChartSource {
  /** Its files by path, `Chart.yaml` and `values.yaml` among them. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Of the program: the chart has the same. */
  version: string;
  /** The digest of the image of that program. */
  imageDigest: string;
}

export interface PackagedChart {
  /** `vmss-prototype-0.1.0.tgz`, the name that Helm expects. */
  fileName: string;
  bytes: Uint8Array;
  /** Its Chart.yaml. */
  chartYaml: string;
}

export function packageChart({ files, version, imageDigest }: ChartSource): PackagedChart {
  const text = (path: string) => Buffer.from(files.get(path) ?? []).toString();
  const chartYaml = withLine(withLine(text('Chart.yaml'), 'version', version), 'appVersion', version);
  const changed = new Map<string, string>([
    ['Chart.yaml', chartYaml],
    // A changed copy of values.yaml instead of a default in a template: `helm show values` shows the digest.
    ['values.yaml', withLine(text('values.yaml'), '  digest', imageDigest)],
  ]);
  const [name = ''] = /(?<=^name: ).+$/m.exec(chartYaml) ?? [];
  const packed = [...files].map(
    ([path, bytes]): LayerFile => ({
      path: `${name}/${path}`,
      bytes: changed.has(path) ? Buffer.from(changed.get(path)!) : bytes,
      isExecutable: false,
    }),
  );
  return { fileName: `${name}-${version}.tgz`, bytes: layerOf(packed).blob, chartYaml };
}

/** Keeps the comments, which parsing and writing YAML would move. */
function withLine(yaml: string, key: string, value: string): string {
  const line = new RegExp(`^${key}: .*$`, 'gm');
  const found = yaml.match(line)?.length ?? 0;
  if (found !== 1) throw new Error(`expected one line "${key.trim()}: …" in the chart, got ${found}`);
  return yaml.replace(line, () => `${key}: ${value}`);
}
