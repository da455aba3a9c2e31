// e2e/report-readable.test.ts: can everything in the report be read, found and sorted, on every screen and on paper?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../src/cli/testing.ts';
import { type Look, launchChromium, openFile } from './labs/browser.ts';

const fixtures = join(import.meta.dirname, '..', 'src/boot/fixtures');
const folder = mkdtempSync(join(tmpdir(), 'headstart-readable-'));
const SCREEN = { width: 1400, height: 900 };
const PHONE = { width: 390, height: 844 };
const SMALL = { width: 800, height: 600 };
const bundle = (name: string) => join(fixtures, 'boots', `${name}-boot.tar.gz`);
const azure = (name: string) => ['-i', join(fixtures, 'azure', name)];
const reports: Record<string, string[]> = {
  one: [bundle('first')],
  node: [bundle('node')],
  two: [bundle('first'), bundle('clone')],
  four: [bundle('first'), bundle('clone'), bundle('node'), bundle('first')],
  pasted: [join(fixtures, 'seeds/preprovisioned.critical-chain.txt')],
  azure: [
    '-i',
    bundle('first'),
    ...azure('provision.json'),
    ...azure('waagent.log'),
    ...azure('extension-events.json'),
  ],
};
const paths = new Map<string, string>();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
  for (const [name, inputs] of Object.entries(reports)) {
    const path = join(folder, `${name}.html`);
    const ran = await run(['boot', 'report', ...inputs, '-o', path]);
    expect(ran.code, ran.stderr).toBe(0);
    paths.set(name, path);
  }
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function open(name: string, look: Look = SCREEN): Promise<Page> {
  const opened = await openFile(browser, paths.get(name)!, look);
  expect(opened.complaints).toEqual([]);
  return opened.page;
}

/** Texts that cross another one, or the edge of what contains them. */
function unreadable(page: Page, texts: string, container: string): Promise<string[]> {
  return page.locator(texts).evaluateAll((found, inside) => {
    const seen = found.flatMap((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 0 && one.textContent !== '' ? [{ one, box }] : [];
    });
    return seen.flatMap(({ one, box }, at) => {
      const edge = one.closest(inside)!.getBoundingClientRect();
      const isCut = box.left < edge.left - 1 || box.right > edge.right + 1;
      const covers = seen.slice(at + 1).find(({ box: other }) => {
        const isBeside = box.right <= other.left + 1 || other.right <= box.left + 1;
        return !isBeside && box.top < other.bottom - 2 && other.top < box.bottom - 2;
      });
      if (isCut) return [`${one.textContent} is cut`];
      return covers ? [`${one.textContent} covers ${covers.one.textContent}`] : [];
    });
  }, container);
}

describe.each(Object.keys(reports))('the report of %s', (name) => {
  test.each([SCREEN, SMALL, PHONE])('has whole labels in a window of $width × $height', async (look) => {
    const page = await open(name, look);
    expect(await unreadable(page, '.flag', '#axis')).toEqual([]);
    expect(await unreadable(page, '.row .bar-note', '.track')).toEqual([]);
    expect(await unreadable(page, '.sums li', '#answer')).toEqual([]);
    expect(await unreadable(page, '.command .word', '.command')).toEqual([]);
    await page.close();
  });

  test.each(['A4', 'Letter'])('is printed on at most four pages of %s', async (format) => {
    const page = await open(name);
    const pdf = await page.pdf({ format });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThanOrEqual(4);
    await page.close();
  });

  test('has whole labels and columns on paper', async () => {
    const page = await open(name);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 710, height: 1039 }); // A4 without its margins
    expect(await unreadable(page, '.flag', '#axis')).toEqual([]);
    expect(await unreadable(page, '.row .bar-note', '.track')).toEqual([]);
    const narrow = await page
      .locator('#panel-path td:not(:empty):visible, #panel-changes td:not(:empty):visible')
      .evaluateAll((cells) =>
        cells
          .filter((cell) => (cell.textContent?.length ?? 0) > 1)
          .filter(
            (cell) => cell.getBoundingClientRect().height > 3 * Number.parseFloat(getComputedStyle(cell).lineHeight),
          )
          .map((cell) => cell.textContent),
      );
    expect(narrow).toEqual([]);
    await page.close();
  });
});

test.each(['one', 'node', 'two', 'pasted', 'azure'])('the sums under a bar add up to its total: %s', async (name) => {
  const page = await open(name);
  const usOf = (parts: string) =>
    page
      .locator('.answer')
      .evaluateAll(
        (answers, selector) =>
          answers.map((answer) =>
            [...answer.querySelectorAll<HTMLElement>(selector)].reduce((us, part) => us + Number(part.dataset.us), 0),
          ),
        parts,
      );
  const totals = await usOf('.path-bar > [data-us]');
  expect(totals.every((us) => us > 0)).toBe(true);
  expect(await usOf('.sums [data-us]')).toEqual(totals);
  await page.close();
});

test('a pasted listing of a parked VM shows its wait in the bar, as long as it was', async () => {
  const page = await open('pasted');
  const waits = await page
    .locator('.path-bar .wait')
    .evaluateAll((parts) => parts.map((part) => Number((part as HTMLElement).dataset.us)));
  expect(waits.reduce((sum, us) => sum + us, 0)).toBe(1_001_443_000);
  expect(await page.locator('.sums').textContent()).toContain('waits on the path 16min 41.443s');
  await page.close();
});

test('a row has the colour of its segment in the bar', async () => {
  const page = await open('node');
  for (const [name, id] of [
    ['headstart-node.service', 'systemd:headstart-node.service'],
    ['kernel', 'phase:kernel'],
  ] as const) {
    const row = page.locator(`.row[data-id="${id}"] .bar`);
    await row.scrollIntoViewIfNeeded();
    const colourOf = (element: Element) => getComputedStyle(element).getPropertyValue('--c');
    const segment = page.getByRole('button', { name: new RegExp(`^${name}: `) }).first();
    const classOf = (text: string) => text.match(/src-\S+/)?.[0];
    expect(classOf((await row.getAttribute('class'))!)).toBe(classOf((await segment.getAttribute('class'))!));
    expect(await row.evaluate(colourOf)).not.toBe('');
  }
  await page.close();
});

test('several boots are compared in one sentence', async () => {
  const page = await open('two');
  expect(await page.locator('.versus').textContent()).toBe(
    'B is 53s sooner than A (−51\u00a0%): 17s of it is cloud-final.service; 15s cloud-init-local.service; 4.6s cloud-config.service.',
  );
  await page.close();
});

test('many boots have a finding each, and rows without room for boots that lack the span', async () => {
  const page = await open('four');
  expect(await page.locator('.finding h3').allTextContents()).toEqual(
    ['A', 'B', 'C', 'D'].map((letter) => `${letter}: Largest work`),
  );
  const heightOf = async (id: string) => (await page.locator(`.row[data-id="${id}"]`).boundingBox())!.height;
  expect(await heightOf('phase:VM creation')).toBeLessThanOrEqual(24);
  expect(await heightOf('phase:kernel')).toBeGreaterThan(40);
  await page.close();
});

test('the names of rows are whole on a phone', async () => {
  const page = await open('one', PHONE);
  const cut = await page
    .locator('.row:visible .text')
    .evaluateAll((names) =>
      names.filter((name) => name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent),
    );
  expect(cut).toEqual([]);
  expect(await page.locator('.row:visible .text').allTextContents()).toContain('config-scripts-user');
  await page.close();
});

test('the column of names can be made wider', async () => {
  const page = await open('two', SMALL);
  const name = page.locator('.row:visible .name').first();
  const before = (await name.boundingBox())!.width;
  await page.locator('#corner').scrollIntoViewIfNeeded();
  const corner = (await page.locator('#corner').boundingBox())!;
  await page.mouse.move(corner.x + corner.width - 4, corner.y + corner.height - 4);
  await page.mouse.down();
  await page.mouse.move(corner.x + corner.width + 116, corner.y + corner.height - 4, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await name.boundingBox())!.width).toBeGreaterThan(before + 100);
  await page.close();
});

test('tables are sorted by a click on a heading', async () => {
  const page = await open('one');
  await page.getByRole('tab', { name: 'Slowest' }).click();
  const table = page.locator('#panel-slowest table').first();
  const names = async () => (await table.locator('tbody tr td:nth-child(3)').allTextContents()).slice(0, 50);
  await table.getByRole('button', { name: 'what' }).click();
  expect(await names()).toEqual((await names()).toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  await table.getByRole('button', { name: 'start' }).click();
  expect(await table.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending');
  const [latest] = await table.locator('tbody tr').first().locator('td:nth-child(5)').allTextContents();
  expect(latest).toContain('1min');
  await page.close();
});

test('the search of the browser finds a span that the waterfall does not show', async () => {
  const page = await browser.newPage({ viewport: SCREEN });
  await page.goto(`${pathToFileURL(paths.get('one')!).href}#:~:text=e2scrub_reap.service`);
  await expect.poll(() => page.locator('#tab-slowest').getAttribute('aria-selected')).toBe('true');
  await expect
    .poll(() => page.locator('#panel-slowest .link', { hasText: 'e2scrub_reap.service' }).isVisible())
    .toBe(true);
  await page.close();
});

test.each([SCREEN, SMALL, PHONE])(
  'an address with a row leads to the row and its details: $width × $height',
  async (look) => {
    const page = await browser.newPage({ viewport: look });
    await page.goto(`${pathToFileURL(paths.get('one')!).href}#row=systemd%3Acloud-final.service`);
    const hidden = async () => {
      const bar = await page.locator('.row[aria-selected="true"] .bar').boundingBox();
      const details = await page.locator('#details').boundingBox();
      if (!bar || !details) return 'not there';
      if (bar.y < 0 || bar.y + bar.height > look.height) return 'row outside the window';
      const isBeside = bar.x + bar.width <= details.x || bar.y + bar.height <= details.y;
      if (!isBeside) return 'row under the details';
      return details.y > look.height - 100 ? 'details outside the window' : '';
    };
    await expect.poll(hidden).toBe('');
    await page.close();
  },
);

test.each(Object.keys(reports))('no range of the chart leaves an empty screen: %s', async (name) => {
  const page = await open(name);
  const { startUs, endUs } = await page.evaluate(() => {
    const views = JSON.parse(document.getElementById('boots')!.textContent!) as { startUs: number; endUs: number }[];
    return {
      startUs: Math.min(...views.map((view) => view.startUs)),
      endUs: Math.max(...views.map((view) => view.endUs)),
    };
  });
  const widthUs = (endUs - startUs) / 200;
  for (let at = 0; at < 40; at++) {
    const fromUs = Math.round(startUs + (at * (endUs - startUs)) / 40);
    const range = `#from=${fromUs}&to=${Math.round(fromUs + widthUs)}`;
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, range);
    await expect.poll(() => page.locator('#shown').textContent(), { message: range }).toContain('in this range');
    await expect
      .poll(
        async () => {
          const bars = await page
            .locator('.row:visible:not(.group)')
            .evaluateAll((rows) => rows.map((row) => row.querySelector('.bar:not([hidden])') !== null));
          const isSaid = await page.locator('#empty').isVisible();
          return isSaid ? bars.length === 0 : bars.length > 0 && bars.every(Boolean);
        },
        { message: range },
      )
      .toBe(true);
  }
  await page.close();
});
