import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { junit } from './junit.ts';
import { CHECK, row } from './testing.ts';

const FACTS = { hostname: 'node-1', bootId: 'abc', atUs: 1_700_000_000_123_456 };
describe('junit', () => {
  it('has one test per limit: exceeded fails, unknown is an error or skipped', () => {
    const [suites] = parseXml(junit(CHECK, FACTS));
    const suite = suites!.children[0]!;
    expect(suite.attributes).toMatchObject({
      tests: '4',
      failures: '1',
      errors: '1',
      skipped: '1',
      time: '9.000',
      hostname: 'node-1',
      timestamp: '2023-11-14T22:13:20',
    });
    const tests = suite.children.filter(({ name }) => name === 'testcase');
    expect(tests.map(({ attributes }) => Object.values(attributes))).toEqual([
      ['total', 'boot.budget', '9.000'],
      ['a.service', 'boot.budget.units', '4.000'],
      ['node-ready', 'boot.baseline.milestones', '0.000'],
      ['new.service', 'boot.baseline.units', '3.000'],
    ]);
    expect(tests.map(({ children }) => children.map(({ name }) => name))).toEqual([
      ['failure'],
      [],
      ['error'],
      ['skipped'],
    ]);
    const message = 'total took 9s, limit 5s of the budget: until node-ready';
    expect(tests[0]!.children[0]).toMatchObject({ attributes: { message, type: 'exceeded' }, text: message });
  });

  it('is well-formed and keeps the counts, for any text', () => {
    const text = fc.string({
      unit: fc.constantFrom('<', '&', '"', "'", ']', '>', '\u0000', '\ud800', '\n', '\uffff', 'a'),
    });
    fc.assert(
      fc.property(text, text, (name, detail) => {
        const xml = junit({ ...CHECK, checks: [row(`units.${name}`, { detail, verdict: 'exceeded' })] }, FACTS);
        expect(xml.isWellFormed()).toBe(true);
        expect(xml).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/);
        const [test] = parseXml(xml)[0]!.children[0]!.children.filter((one) => one.name === 'testcase');
        expect(test!.attributes.name).toBe(legal(name));
        expect(test!.children[0]!.attributes.message).toContain(legal(detail));
      }),
    );
  });
});

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

function legal(text: string): string {
  return text.replace(/[\u0000\ud800\uffff]/g, '\ufffd');
}

/** A strict parser of the part of XML that a report uses, to check the writer. Throws on anything else. */
function parseXml(text: string): Element[] {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let rest = text.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, '');
  while (rest !== '') {
    const [all, end, name, attributes = '', isEmpty, content] =
      /^(?:<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<]*")*)(\/)?>|([^<>]+))/.exec(rest) ?? [];
    if (all === undefined) throw new Error(`not XML: ${rest.slice(0, 80)}`);
    rest = rest.slice(all.length);
    if (content !== undefined) open.at(-1)!.text += plainText(content);
    else if (end !== undefined) expect(open.pop()!.name).toBe(end);
    else {
      const pairs = [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, plainText(value!)]);
      const element: Element = { name: name!, attributes: Object.fromEntries(pairs), children: [], text: '' };
      open.at(-1)!.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  expect(open).toHaveLength(1);
  return root.children;
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plainText(text: string): string {
  expect(text.replace(/&(?:amp|lt|gt|quot|apos|#\d+);/g, '')).not.toContain('&');
  return text.replace(/&(\w+|#\d+);/g, (_, entity: string) => NAMED[entity] ?? String.fromCodePoint(+entity.slice(1)));
}
