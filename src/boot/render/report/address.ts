/// <reference lib="dom" />
// boot/render/report/address.ts: which tab, range, row and search does the address of the page name, after its #?
import { byId } from './elements.ts';
import type { Page } from './page-state.ts';
import { showTab } from './toolbar.ts';

export interface Address {
  tab?: string;
  fromUs?: number;
  toUs?: number;
  /** Id of the selected line. */
  row?: string;
  search?: string;
  /** Value of the select element. */
  show?: string;
}

const TABS_IN_ADDRESS: readonly string[] = ['waterfall', 'slowest', 'path', 'changes', 'about'];

export function parseAddress(hash: string): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (name: string) => given.get(name) || undefined;
  const number = (name: string) => (/^-?\d{1,16}$/.test(given.get(name) ?? '') ? Number(given.get(name)) : undefined);
  const [fromUs, toUs] = [number('from'), number('to')];
  const tab = text('tab');
  return {
    ...(tab !== undefined && TABS_IN_ADDRESS.includes(tab) && { tab }),
    ...(fromUs !== undefined && toUs !== undefined && fromUs < toUs && { fromUs, toUs }),
    ...(text('row') !== undefined && { row: text('row')! }),
    ...(text('search') !== undefined && { search: text('search')! }),
    ...(text('show') !== undefined && { show: text('show')! }),
  };
}

export function writeAddress({ tab, fromUs, toUs, row, search, show }: Address): string {
  const given = new URLSearchParams();
  if (tab !== undefined) given.set('tab', tab);
  if (fromUs !== undefined && toUs !== undefined) {
    given.set('from', String(Math.round(fromUs)));
    given.set('to', String(Math.round(toUs)));
  }
  if (row !== undefined) given.set('row', row);
  if (search) given.set('search', search);
  if (show !== undefined) given.set('show', show);
  const text = given.toString();
  return text === '' ? '' : `#${text}`;
}

/** Only what differs from the page as it opens. */
export function addressOf(page: Page, usualShow: string): Address {
  const tab = TABS_IN_ADDRESS.find((name) => byId(`tab-${name}`).getAttribute('aria-selected') === 'true');
  const { value } = byId<HTMLSelectElement>('least');
  return {
    ...(tab !== undefined && tab !== 'waterfall' && { tab }),
    ...(page.filter.range && { fromUs: page.seen.fromUs, toUs: page.seen.toUs }),
    ...(page.selectedId !== undefined && { row: page.selectedId }),
    ...(page.filter.query !== '' && { search: page.filter.query }),
    ...(value !== '' && value !== usualShow && { show: value }),
  };
}

export function goTo(page: Page, address: Address): void {
  const least = byId<HTMLSelectElement>('least');
  if (address.show !== undefined && /^(critical|\d+)$/.test(address.show)) {
    least.value = address.show;
    page.filter.isCriticalOnly = address.show === 'critical';
    page.filter.minUs = Number(address.show) || 0;
  }
  page.filter.query = address.search ?? '';
  byId<HTMLInputElement>('search').value = page.filter.query;
  page.refilter();
  if (address.row !== undefined && page.lines.has(address.row)) page.reveal(address.row);
  if (address.fromUs !== undefined) page.zoomTo({ fromUs: address.fromUs, toUs: address.toUs! });
  showTab(address.tab ?? 'waterfall');
}
