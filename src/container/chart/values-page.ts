// container/chart/values-page.ts: docs/chart-values.md from the chart's values and their schema: `node src/container/chart/values-page.ts`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { writeFileAtomic } from '../../base/files.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CHART_FOLDER = join(ROOT, 'charts/vmss-prototype');
export const VALUES_PAGE = join(ROOT, 'docs/chart-values.md');

export interface ChartValue {
  /** `job.backoffLimit` */
  path: string;
  /** Text, or JSON of other types; undefined for a group of values. */
  default?: string;
  /** What its comment in values.yaml says. */
  text: string;
  /** What the schema accepts: `boolean`, `integer from 1 to 1000`. */
  accepts: string;
}

export interface Schema {
  type?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
}

/** In the order of values.yaml. Every value of it must be in the schema. */
export function chartValues(valuesYaml: string, schema: Schema): ChartValue[] {
  const { contents, commentBefore } = parseDocument(valuesYaml);
  if (!isMap(contents)) throw new Error('values.yaml is not a mapping');
  return valuesIn(contents, commentBefore, schema, '', schema);
}

/** The comment above the first key of a mapping is the mapping's; `first` is that comment. */
function valuesIn(map: YAMLMap, first: unknown, schema: Schema, prefix: string, root: Schema): ChartValue[] {
  return map.items.flatMap((pair: Pair, index): ChartValue[] => {
    const { key, value } = pair;
    if (!isScalar(key)) throw new Error('a key is not text');
    const path = `${prefix}${key.value}`;
    const own = resolved(schema.properties?.[String(key.value)], root);
    if (!own) throw new Error(`values.schema.json does not know ${path}`);
    const text = textOf(key.commentBefore ?? (index === 0 ? (map.commentBefore ?? first) : undefined));
    if (isMap(value) && own.properties !== undefined && value.items.length > 0) {
      const group: ChartValue[] = text === '' ? [] : [{ path, text, accepts: 'object' }];
      return [...group, ...valuesIn(value, undefined, own, `${path}.`, root)];
    }
    const byDefault = isScalar(value) ? value.value : (value as YAMLMap).toJSON();
    const shown = typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault);
    return [{ path, text, default: shown, accepts: acceptedBy(own, root) }];
  });
}

function resolved(schema: Schema | undefined, root: Schema): Schema | undefined {
  const name = schema?.$ref?.replace('#/definitions/', '');
  return name === undefined ? schema : root.definitions?.[name];
}

function textOf(comment: unknown): string {
  return typeof comment === 'string' ? comment.replace(/^ /gm, '').replaceAll('\n', ' ').trim() : '';
}

function acceptedBy(schema: Schema, root: Schema): string {
  if (schema.enum) return schema.enum.map((one) => `\`${one}\``).join(', ');
  if (schema.type === 'array') return `list of ${acceptedBy(resolved(schema.items, root) ?? {}, root)}s`;
  const { type = 'any', minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `${type} from ${minimum} to ${maximum}`;
  return minimum === undefined ? type : `${type}, at least ${minimum}`;
}

export function renderValuesPage(values: readonly ChartValue[]): string {
  const rows = values.map(({ path, default: byDefault, text, accepts }) => {
    const shown = byDefault ? `\`${byDefault}\`` : '';
    return `| \`${path}\` | ${shown} | ${accepts} | ${text.replaceAll('|', '\\|')} |`;
  });
  return `# The chart's values

<!-- Written by \`make docs\` from charts/vmss-prototype/values.yaml and values.schema.json: change those. -->

Helm refuses misspelled and invalid values before it installs anything. An empty default means: none. How the chart
behaves, and which rights it needs: [chart.md](chart.md).

| value | default | accepts | what it does |
|---|---|---|---|
${rows.join('\n')}
`;
}

export function currentValuesPage(): string {
  const read = (name: string) => readFileSync(join(CHART_FOLDER, name), 'utf8');
  return renderValuesPage(chartValues(read('values.yaml'), JSON.parse(read('values.schema.json')) as Schema));
}

if (import.meta.main) writeFileAtomic(VALUES_PAGE, currentValuesPage(), 0o644);
