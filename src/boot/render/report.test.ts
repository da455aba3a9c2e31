import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRecord, bootRecord, managerTimes, unit } from '../testing.ts';
import { pageScript } from './report/assets.ts';
import { REPORT_MARK, renderReport } from './report.ts';
import type { ReportView } from './report-data.ts';
import { reportView } from './report-view.ts';

const viewOf = (name: string) =>
  reportView(
    bootRecord({
      host: { hostname: name },
      manager: managerTimes(),
      units: [unit(name || 'x', 3, 2, [], { description: name })],
    }),
    name,
  );

function embedded(html: string): ReportView[] {
  const [, json] = /<script type="application\/json" id="boots">([^<]*)<\/script>/.exec(html)!;
  return JSON.parse(json!) as ReportView[];
}

describe('renderReport', () => {
  const html = renderReport([viewOf('node-1')]);

  test('contains no address and loads nothing', () => {
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|@import|url\(|<link|<img|<iframe|\ssrc=/,
    );
  });

  test('forbids every load by its content security policy', () => {
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">`,
    );
  });

  test('has its mark in the first kilobyte', () => {
    expect(html.slice(0, 1024)).toContain(REPORT_MARK);
  });

  test('returns the same bytes for the same boots', () => {
    expect(renderReport([viewOf('node-1')])).toBe(html);
  });
});

describe('the page script', () => {
  const script = pageScript();

  test('is one script that the engine parses, without imports and exports', () => {
    expect(() => new Function(script)).not.toThrow();
    expect(script).not.toMatch(/^(import|export) /m);
  });

  test('declares no name twice, because its modules share one scope', () => {
    const declared = [...script.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm)].map((match) => match[1]);
    expect(declared).toEqual([...new Set(declared)]);
  });

  test('never uses data as markup or code', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
    expect(script.toLowerCase()).not.toContain('</script');
  });
});

describe('data in the page', () => {
  test('cannot end the script element or the title with a hostile name', () => {
    const html = renderReport([viewOf('</script><img src=x onerror=alert(1)>')]);
    expect(html).not.toContain('<img');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html.match(/<\/title>/g)).toHaveLength(1);
  });

  test('is the same text when it is read back', () => {
    const part = fc.constantFrom('<', '>', '&', '"', "'", '<!--', '<script>', '</script>', '\u2028', '\\', ']]>', 'a');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (text) => {
          const views = [viewOf(text)];
          expect(embedded(renderReport(views))).toEqual(JSON.parse(JSON.stringify(views)));
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('can come from any boot', () => {
  fc.assert(
    fc.property(anyRecord, anyRecord, (before, after) => {
      const views = [reportView(before, 'before'), reportView(after, 'after')];
      expect(embedded(renderReport(views)).map((view) => view.label)).toEqual(['before', 'after']);
    }),
    { numRuns: 50 },
  );
});
