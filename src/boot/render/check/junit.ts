// boot/render/check/junit.ts: a boot check as JUnit XML, which CI systems show as a list of tests: one test per limit.
import type { BootCheck, CheckRow } from '../../questions/check/check-boot.ts';
import { describeRow, summarise } from './check-text.ts';

export interface JunitFacts {
  hostname: string;
  bootId?: string | undefined;
  /** µs since 1970. */
  atUs: number;
}

/** Exceeded is a failure; unknown is an error, or skipped if it does not fail the check. */
export function junit(check: BootCheck, { hostname, bootId, atUs }: JunitFacts): string {
  const { checks } = check;
  const results = checks.map(resultOf);
  const count = (result: Result) => results.filter((one) => one === result).length;
  // As in Ant's format, which allows neither a fraction nor a time zone: UTC.
  const timestamp = new Date(Math.floor(atUs / 1000)).toISOString().slice(0, 19);
  const seconds = secondsOf(checks.find(({ path }) => path === 'total')?.actualUs);
  const counts = {
    tests: checks.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  const suite = { name: 'boot check', package: 'headstart', id: 0, timestamp, hostname, ...counts, time: seconds };
  const properties = {
    ...(bootId !== undefined && { 'boot-id': bootId }),
    ...(check.baseline && { rule: check.baseline.rule }),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${attributes(suite)}>`,
    '    <properties>',
    ...Object.entries(properties).map(([name, value]) => `      <property${attributes({ name, value })}/>`),
    '    </properties>',
    ...checks.flatMap((row, i) => testcase(row, results[i]!)),
    `    <system-out>${xmlText([summarise(check), ...check.notes].join('\n'))}</system-out>`,
    '    <system-err></system-err>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

type Result = 'passed' | 'failure' | 'error' | 'skipped';

function resultOf({ verdict, isFailure }: CheckRow): Result {
  if (verdict === 'ok') return 'passed';
  if (verdict === 'exceeded') return 'failure';
  return isFailure ? 'error' : 'skipped';
}

function testcase(row: CheckRow, result: Result): string[] {
  const [section, ...name] = row.path.split('.');
  const [group, test] = name.length === 0 ? ['', section] : [`.${section}`, name.join('.')];
  const names = { name: test, classname: `boot.${row.by}${group}`, time: secondsOf(row.actualUs) };
  const start = `    <testcase${attributes(names)}`;
  if (result === 'passed') return [`${start}/>`];
  const message = describeRow(row);
  const inner =
    result === 'skipped'
      ? `<skipped${attributes({ message })}/>`
      : `<${result}${attributes({ message, type: row.verdict })}>${xmlText(message)}</${result}>`;
  return [`${start}>`, `      ${inner}`, '    </testcase>'];
}

function secondsOf(us: number | undefined): string {
  return (Math.max(0, us ?? 0) / 1e6).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Drops what XML 1.0 cannot contain even escaped: control characters, lone surrogates, U+FFFE and U+FFFF. */
function xmlText(text: string): string {
  const legal = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return legal.replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character]!);
}
