// container/chart/repository-index.ts: index.yaml, which makes a folder on any web server a chart repository of Helm.
import { createHash } from 'node:crypto';
import { parse, stringify } from 'yaml';
import type { PackagedChart } from './package-chart.ts';

/** No build time, so that builds are reproducible. */
const CREATED = '1970-01-01T00:00:00Z';

/** The archive must be next to the index. */
export function repositoryIndex({ fileName, bytes, chartYaml }: PackagedChart): string {
  const chart = parse(chartYaml) as { name: string };
  const entry = {
    ...chart,
    created: CREATED,
    digest: createHash('sha256').update(bytes).digest('hex'),
    urls: [fileName],
  };
  return stringify({ apiVersion: 'v1', entries: { [chart.name]: [entry] }, generated: CREATED });
}
