/// <reference lib="dom" />
import { expect, test } from 'vitest';
import { type Address, addressOf, goTo, parseAddress, writeAddress } from './address.ts';
import { FakeBrowser, pageOf, row, view } from './testing.ts';

const addresses: Address[] = [
  {},
  { tab: 'path' },
  { fromUs: -5, toUs: 2_000_000 },
  { row: 'systemd:a b\\x2d&=#.service', search: '>5s cloud & init', show: '0' },
];

test.each(addresses)('an address is read as it was written: %j', (address) => {
  expect(parseAddress(writeAddress(address))).toEqual(address);
});

test.each(['', '#', '#tab=other', '#from=9&to=3', '#from=x&to=1', '#from=5', '#%E0%A4%A'])('ignores %s', (hash) => {
  expect(parseAddress(hash)).toEqual({});
});

test('the page writes only what differs from how it opens, and goes back to it', () => {
  const browser = new FakeBrowser();
  const page = pageOf(view([row('unit', 0, 50)]));
  browser.byId('least').value = 'critical';
  expect(addressOf(page, 'critical')).toEqual({});
  page.filter.query = 'unit';
  page.selectedId = 'unit';
  page.filter.range = page.seen = { fromUs: 10, toUs: 20 };
  browser.byId('tab-path').setAttribute('aria-selected', 'true');
  browser.byId('least').value = '0';
  const address = { tab: 'path', fromUs: 10, toUs: 20, row: 'unit', search: 'unit', show: '0' };
  expect(addressOf(page, 'critical')).toEqual(address);
  goTo(page, address);
  expect(page.calls).toEqual([['refilter'], ['reveal', 'unit'], ['zoomTo', { fromUs: 10, toUs: 20 }]]);
  expect(browser.byId('search').value).toBe('unit');
  expect(browser.byId('tab-path').getAttribute('aria-selected')).toBe('true');
});

test('a row that the report does not have is ignored', () => {
  new FakeBrowser();
  const page = pageOf(view([row('unit', 0, 50)]));
  goTo(page, { row: 'gone', show: 'nonsense' });
  expect(page.calls).toEqual([['refilter']]);
  expect(page.filter.isCriticalOnly).toBe(false);
});
