import { expect, test } from 'vitest';
import { nodeBoot } from '../questions/testing.ts';
import { bootRecord, managerTimes, unit } from '../testing.ts';
import { staticSummary } from './report-static.ts';
import { reportView } from './report-view.ts';

test('is the sentence, the findings with their commands, and the path with its waits', () => {
  const html = staticSummary([reportView(nodeBoot, 'node', ['my boot.tar.gz'])]);
  expect(html).toContain('<h2>Ready after 30s: 10s of it is cloud-final.service;');
  expect(html).toContain('date of the boot unknown');
  expect(html).toContain('-i &#39;my boot.tar.gz&#39;</code>');
  expect(html).toContain('add up to 30s');
  expect(html).toContain('<td>systemd-networkd-wait-online.service (network: until it is online)</td>');
  expect(html).toContain('<td>gap</td>');
});

test('never contains markup from the boot', () => {
  const hostile = '<img src=x>';
  const record = bootRecord({ manager: managerTimes(), host: { hostname: hostile }, units: [unit(hostile, 3, 50)] });
  expect(staticSummary([reportView(record, hostile, [hostile])])).not.toContain('<img');
});
