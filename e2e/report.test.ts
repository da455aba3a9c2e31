// e2e/report.test.ts: does the HTML report work in a real browser, on real boots?
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderReport } from '../src/boot/render/report.ts';
import { reportView } from '../src/boot/render/report-view.ts';
import { bootRecord, managerTimes, span, unit } from '../src/boot/testing.ts';
import { run } from '../src/cli/testing.ts';
import { launchChromium, type Opened, openFile } from './labs/browser.ts';

const root = join(import.meta.dirname, '..');
const boots = join(root, 'src/boot/fixtures/boots');
const out = join(root, 'out');
const folder = mkdtempSync(join(tmpdir(), 'headstart-report-'));

let browser: Browser;

beforeAll(async () => {
  mkdirSync(out, { recursive: true });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function reportOf(name: string, ...inputs: string[]): Promise<string> {
  const path = join(folder, `${name}.html`);
  const ran = await run(['boot', 'report', ...inputs.map((input) => join(boots, input)), '-o', path, '--force']);
  expect(ran.code, ran.stderr).toBe(0);
  return path;
}

function written(name: string, html: string): string {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, html);
  return path;
}

const rowNamed = (page: Page, name: string) => page.locator(`.row[data-id=${JSON.stringify(`systemd:${name}`)}]`);
const widthOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())!.width;
const shownNames = (page: Page) => page.locator('.row:visible:not(.group) .text').allTextContents();

function expectQuiet({ complaints, requests }: Opened): void {
  expect(complaints).toEqual([]);
  expect(requests).toEqual([]);
}

describe('the report of one recorded boot', () => {
  let path: string;
  let opened: Opened;
  let page: Page;

  beforeAll(async () => {
    path = await reportOf('one', 'first-boot.tar.gz');
  });

  beforeEach(async () => {
    opened = await openFile(browser, path);
    page = opened.page;
    return () => page.close();
  });

  test('opens without an error and without network requests', async () => {
    await page.screenshot({ path: join(out, 'report.png') });
    expect(await page.locator('.sums .total strong').textContent()).toBe('1min 44.768s');
    expect(await page.locator('.sums').textContent()).toContain('kernel 10.494s');
    expectQuiet(opened);
  });

  test('a click on a row shows its details', async () => {
    await rowNamed(page, 'systemd-remount-fs.service').click();
    const details = page.locator('#details');
    expect(await details.locator('h2').textContent()).toBe('systemd-remount-fs.service');
    expect(await details.textContent()).toContain('2.416s');
    expect(await details.textContent()).toContain('Ordered after');
    expect(await details.textContent()).toContain('systemd-journald.socket');
    await page.screenshot({ path: join(out, 'report-details.png') });
    await page.getByRole('button', { name: 'Close details' }).click();
    expect(await details.isHidden()).toBe(true);
  });

  test('the pointer over a row shows a short summary', async () => {
    await page.locator('#search').fill('systemd-journald.service');
    await rowNamed(page, 'systemd-journald.service').hover();
    expect(await page.locator('#tip').textContent()).toContain('4.588s');
  });

  test('the button, the wheel, a drag and the keys zoom: the window shrinks, the bars grow', async () => {
    const bar = '.row[data-id="systemd:cloud-init-local.service"] .bar';
    await page.locator('#search').fill('cloud-init-local');
    const zooms: Record<string, () => Promise<void>> = {
      button: () => page.getByRole('button', { name: 'Zoom in' }).click(),
      wheel: async () => {
        const box = (await page.locator(bar).boundingBox())!;
        await page.mouse.move(box.x + box.width / 2, box.y + 5);
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, -400);
        await page.keyboard.up('Control');
      },
      drag: async () => {
        const box = (await page.locator(bar).boundingBox())!;
        await page.mouse.move(box.x - 40, box.y + 5);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width + 60, box.y + 5, { steps: 4 });
        await page.mouse.up();
      },
      keys: async () => {
        await page.locator('#scroller').focus();
        await page.keyboard.press('+');
      },
    };
    for (const [name, zoom] of Object.entries(zooms)) {
      await page.getByRole('button', { name: 'Show the whole boot' }).click();
      await expect.poll(() => widthOf(page, '#brush')).toBeGreaterThan((await widthOf(page, '#overview')) - 2);
      const before = await widthOf(page, bar);
      await zoom();
      await expect
        .poll(() => widthOf(page, '#brush'), { message: name })
        .toBeLessThan((await widthOf(page, '#overview')) * 0.9);
      await expect.poll(() => widthOf(page, bar), { message: name }).toBeGreaterThan(before * 1.2);
    }
    await page.locator('#search').fill('');
    await page.screenshot({ path: join(out, 'report-zoomed.png') });
  });

  test('a search shows only matching rows, including short ones', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('sockets');
    await expect.poll(() => shownNames(page)).toEqual(['sockets.target']);
    expect(await page.locator('mark:visible').allTextContents()).toEqual(['sockets']);
    await page.locator('#search').fill('>20s');
    await expect.poll(() => shownNames(page)).toEqual(['cloud-init-local.service', 'cloud-final.service']);
    await page.locator('#search').fill('no such thing');
    await expect.poll(() => page.locator('#empty').isVisible()).toBe(true);
  });

  test('a cloud-init stage opens into its modules', async () => {
    const final = rowNamed(page, 'cloud-final.service');
    await final.scrollIntoViewIfNeeded();
    if ((await final.getAttribute('aria-expanded')) === 'false') await final.locator('.twist').click();
    await expect.poll(() => final.getAttribute('aria-expanded')).toBe('true');
    const stage = page.locator('.row[data-id="cloud-init:modules-final"]');
    if ((await stage.getAttribute('aria-expanded')) === 'false') await stage.locator('.twist').click();
    await expect.poll(() => shownNames(page)).toContain('config-scripts-user');
    await page.screenshot({ path: join(out, 'report-stage.png') });
  });

  test('the keys choose rows and close them again', async () => {
    await page.locator('#scroller').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const chosen = page.locator('.row:visible[aria-selected="true"]');
    await expect.poll(() => chosen.getAttribute('aria-rowindex')).toBe('2');
    expect(await page.locator('#scroller').getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
    await page.keyboard.press('Escape');
    expect(await page.locator('#details').isHidden()).toBe(true);
  });

  test('rows of tables link to the chart', async () => {
    await page.getByRole('tab', { name: 'Slowest' }).click();
    const first = page.locator('#panel-slowest tbody tr').first();
    expect(await first.textContent()).toContain('cloud-init-local.service');
    await page.screenshot({ path: join(out, 'report-slowest.png') });
    await page.getByRole('tab', { name: 'Critical path' }).click();
    await page.locator('#panel-path .link', { hasText: 'cloud-init.service' }).click();
    expect(await page.locator('#details h2').textContent()).toBe('cloud-init.service');
    await expect.poll(() => rowNamed(page, 'cloud-init.service').isVisible()).toBe(true);
  });

  test('light and dark follow the system until the button is used', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await background()).not.toBe(light);
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe(light);
  });
});

test('a dark system gets a dark report', async () => {
  const opened = await openFile(browser, await reportOf('dark', 'first-boot.tar.gz'), {
    theme: 'dark',
    width: 1920,
    height: 1080,
  });
  await opened.page.screenshot({ path: join(out, 'report-dark.png') });
  expect(await opened.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(14, 17, 22)');
  expectQuiet(opened);
});

test('two boots share one axis, and the report shows what changed', async () => {
  const opened = await openFile(browser, await reportOf('two', 'first-boot.tar.gz', 'clone-boot.tar.gz'));
  const { page } = opened;
  await page.screenshot({ path: join(out, 'report-two.png') });
  expect(await page.locator('.card.changes .what strong').textContent()).toBe('−53.234s');
  const kernel = page.locator('.row[data-id="phase:kernel"] .bar:visible');
  const [before, after] = [(await kernel.nth(0).boundingBox())!, (await kernel.nth(1).boundingBox())!];
  expect(after.width / before.width).toBeCloseTo(6.684 / 10.494, 1);
  expect(after.x).toBeCloseTo(before.x, 0);
  expect(after.y).toBeGreaterThan(before.y);
  await page.getByRole('tab', { name: 'Changes' }).click();
  expect(await page.locator('#panel-changes tbody tr').first().textContent()).toContain('−17.295s32 %');
  expectQuiet(opened);
});

test('three boots share one axis, and each is compared with the first', async () => {
  const boots = ['first-boot.tar.gz', 'clone-boot.tar.gz', 'node-boot.tar.gz'];
  const opened = await openFile(browser, await reportOf('three', ...boots));
  const { page } = opened;
  await page.screenshot({ path: join(out, 'report-three.png') });
  expect(await page.locator('.versus').textContent()).toBe(
    'B is 53s sooner than A (−51\u00a0%); C is not comparable with A: A is kernel start to startup-finished, C VM creation to node-ready.',
  );
  const kernel = page.locator('.row[data-id="phase:kernel"]');
  const bars = await kernel.locator('.bar:visible').all();
  const boxes = await Promise.all(bars.map(async (bar) => (await bar.boundingBox())!));
  const { y, height } = (await kernel.boundingBox())!;
  expect(boxes).toHaveLength(boots.length);
  for (const [at, box] of boxes.entries()) {
    if (at > 0) expect(box.y).toBeGreaterThanOrEqual(boxes[at - 1]!.y + boxes[at - 1]!.height);
    expect(box.y).toBeGreaterThanOrEqual(y);
    expect(box.y + box.height).toBeLessThanOrEqual(y + height);
  }
  await page.getByRole('tab', { name: 'Changes' }).click();
  expect(await page.locator('#panel-changes h2').allTextContents()).toEqual([
    'From A to B: on the critical path',
    'From A to B: not on the path, or part of it',
    'From A to C: on the critical path',
    'From A to C: not on the path, or part of it',
  ]);
  expectQuiet(opened);
});

test('names from a hostile machine stay text', async () => {
  const hostile = '</script><img src=x onerror=alert(1)>';
  const record = bootRecord({
    host: { hostname: hostile, os: hostile },
    manager: managerTimes(),
    units: [
      unit(hostile, 3, 2, [], { description: hostile, result: hostile }),
      unit('multi-user.target', 6, 0, [hostile]),
    ],
    spans: [span('cloud-init:x', 3, 4, { name: hostile, unit: hostile, wait: hostile })],
    notes: [{ level: 'warning', text: hostile }],
    milestones: [{ name: 'node-ready', atUs: 7e6, source: 'cluster', detail: hostile }],
  });
  const opened = await openFile(
    browser,
    written('hostile', renderReport([reportView(record, hostile), reportView(record, hostile)])),
  );
  const { page } = opened;
  await page.locator('.row .name').first().hover();
  await page.locator('#search').fill('img');
  await page.locator('.row:visible:not(.group)').first().click();
  for (const tab of ['slowest', 'path', 'about']) await page.locator(`#tab-${tab}`).click();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.locator('#details h2').textContent()).toBe(hostile);
  expectQuiet(opened);
});

test('five thousand spans draw only the visible rows', async () => {
  const units = Array.from({ length: 5000 }, (_, i) =>
    unit(`unit-${i}.service`, 3 + i * 0.01, 0.05 + (i % 40) * 0.1, i > 0 ? [`unit-${i - 1}.service`] : []),
  );
  const record = bootRecord({ manager: managerTimes(), units });
  const opened = await openFile(browser, written('many', renderReport([reportView(record, 'many')])));
  const { page } = opened;
  await page.locator('#least').selectOption('0');
  await expect.poll(() => page.locator('#scroller').getAttribute('aria-rowcount')).toBe('5006');
  expect(await page.locator('.row').count()).toBeLessThan(100);
  await page.locator('#scroller').focus();
  await page.keyboard.press('End');
  await expect.poll(() => shownNames(page)).toContain('unit-4999.service');
  await page.screenshot({ path: join(out, 'report-many.png') });
  expectQuiet(opened);
});

test('an empty boot still opens', async () => {
  const path = written(
    'empty',
    renderReport([reportView(bootRecord({ units: [unit('only.service', 0.000001, 0)] }), 'empty')]),
  );
  expectQuiet(await openFile(browser, path));
});
