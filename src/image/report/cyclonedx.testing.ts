// image/report/cyclonedx.testing.ts: does a document follow the official CycloneDX schema? For tests.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

export function officialSchema() {
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`../fixtures/cyclonedx/${name}`, import.meta.url), 'utf8')) as object;
  // The schema has extra keywords for editors, and formats that ajv does not implement.
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'iri-reference': true, 'idn-email': true } });
  addFormats.default(ajv);
  ajv.addSchema(read('spdx.SNAPSHOT.schema.json'), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json');
  ajv.addSchema(read('jsf-0.82.SNAPSHOT.schema.json'), 'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json');
  return ajv.compile(read('bom-1.6.SNAPSHOT.schema.json'));
}
