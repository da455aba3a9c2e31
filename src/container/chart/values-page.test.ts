import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHART_FOLDER, chartValues, currentValuesPage, type Schema, VALUES_PAGE } from './values-page.ts';

const schema: Schema = {
  properties: {
    name: { $ref: '#/definitions/name' },
    level: { enum: ['LOW', 'HIGH'] },
    job: { properties: { retries: { type: 'integer', minimum: 0 }, limits: { type: 'object' } } },
    names: { type: 'array', items: { $ref: '#/definitions/name' } },
  },
  definitions: { name: { type: 'string' } },
};

describe('chartValues', () => {
  it('reads defaults and comments from the values, and what is accepted from the schema', () => {
    const yaml = `# Of the first.
# On two lines.
name: ''
level: LOW
# Of the group.
job:
  # Of its first.
  retries: 3
  # Of the object.
  limits:
    cpu: 1
names: []
`;
    expect(chartValues(yaml, schema)).toEqual([
      { path: 'name', default: '', text: 'Of the first. On two lines.', accepts: 'string' },
      { path: 'level', default: 'LOW', text: '', accepts: '`LOW`, `HIGH`' },
      { path: 'job', text: 'Of the group.', accepts: 'object' },
      { path: 'job.retries', default: '3', text: 'Of its first.', accepts: 'integer, at least 0' },
      { path: 'job.limits', default: '{"cpu":1}', text: 'Of the object.', accepts: 'object' },
      { path: 'names', default: '[]', text: '', accepts: 'list of strings' },
    ]);
  });

  it('refuses a value that the schema does not know', () => {
    expect(() => chartValues('job:\n  other: 1\n', schema)).toThrow('values.schema.json does not know job.other');
  });
});

describe('docs/chart-values.md', () => {
  it('is current; otherwise run `make docs`', () => {
    expect(readFileSync(VALUES_PAGE, 'utf8')).toBe(currentValuesPage());
  });

  it('explains every value', () => {
    const read = (name: string) => readFileSync(join(CHART_FOLDER, name), 'utf8');
    const values = chartValues(read('values.yaml'), JSON.parse(read('values.schema.json')) as Schema);
    expect(values.length).toBeGreaterThan(30);
    expect(values.filter(({ text }) => text.length < 10).map(({ path }) => path)).toEqual([]);
  });
});
