// e2e/report-answer.test.ts: does the report answer on its first screen, on every screen size, on paper and without scripts?
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderReport } from '../src/boot/render/report.ts';
import { reportView } from '../src/boot/render/report-view.ts';
import { bootRecord, managerTimes, span, unit } from '../src/boot/testing.ts';
import { run } from '../src/cli/testing.ts';
import { type Look, launchChromium, openFile } from './labs/browser.ts';

const root = join(import.meta.dirname, '..');
const boots = join(root, 'src/boot/fixtures/boots');
const out = join(root, 'out');
const folder = mkdtempSync(join(tmpdir(), 'headstart-answer-'));
const SCREEN = { width: 1400, height: 900 };
const [first, clone, node] = ['first-boot.tar.gz', 'clone-boot.tar.gz', 'node-boot.tar.gz'];
const reports = { one: [first], node: [node], two: [first, clone], four: [first, clone, node, first] } as const;
const paths = new Map<string, string>();
let browser: Browser;

beforeAll(async () => {
  mkdirSync(out, { recursive: true });
  browser = await launchChromium();
  for (const [name, inputs] of Object.entries(reports)) {
    const path = join(folder, `${name}.html`);
    const ran = await run(['boot', 'report', ...inputs.map((input) => join(boots, input)), '-o', path]);
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

const rowNames = (page: Page) => page.locator('.row:visible:not(.group) .text').allTextContents();
const hash = (page: Page) => page.evaluate(() => window.location.hash);

describe('the first screen', () => {
  test('says in one sentence where the time went, and in three findings what to look at', async () => {
    const page = await open('node');
    expect(await page.locator('.answer h2').textContent()).toMatch(
      /^Ready after 2min 16s: 43s of it is headstart-node/,
    );
    const findings = page.locator('.finding');
    expect(await findings.count()).toBe(3);
    expect(await findings.locator('h3').allTextContents()).toEqual(['Largest work', 'Largest wait', 'Next work']);
    const { y, height } = (await findings.last().boundingBox())!;
    expect(y + height).toBeLessThan(SCREEN.height / 2);
    await page.screenshot({ path: join(out, 'answer-node.png') });
    await page.close();
  });

  test('names the module that is slow, its saving and the command', async () => {
    const page = await open('one');
    const third = page.locator('.finding', { hasText: 'config-scripts-user' });
    expect(await third.textContent()).toContain('in cloud-final.service');
    expect(await third.locator('.saving').textContent()).toBe(
      'Without it, startup-finished is reached at most 14.668s sooner. Note: modules-final/config-scripts-user started node-agent.service: without it, node-agent.service does not start.',
    );
    expect(await third.locator('code').textContent()).toBe(
      "headstart boot what-if --without 'config-scripts-user' --target startup-finished -i first-boot.tar.gz",
    );
    await page.close();
  });

  test.each(['one', 'node', 'two', 'four'])('has a bar that adds up to the total, through Ready: %s', async (name) => {
    const page = await open(name);
    const bars = await page.locator('.path-bar').evaluateAll((found) =>
      found.map((bar) => ({
        us: [...bar.children].reduce((us, part) => us + Number((part as HTMLElement).dataset.us), 0),
        endsAt: bar.lastElementChild!.getBoundingClientRect().right - bar.getBoundingClientRect().right,
      })),
    );
    const totals = await page.evaluate(() =>
      (JSON.parse(document.getElementById('boots')!.textContent!) as { totalUs: number }[]).map((view) => view.totalUs),
    );
    expect(bars.map(({ us }) => us)).toEqual(totals);
    for (const { endsAt } of bars) expect(Math.abs(endsAt)).toBeLessThan(1);
    await page.close();
  });

  test('tells work, waits and gaps apart, and says which waits it counts', async () => {
    const page = await open('node');
    const look = (kind: string) =>
      page
        .locator(`.path-bar .${kind}`)
        .first()
        .evaluate((part) => getComputedStyle(part).backgroundImage + getComputedStyle(part).backgroundColor);
    expect(new Set([await look('work'), await look('wait'), await look('gap')]).size).toBe(3);
    expect(await page.locator('.sums').textContent()).toContain('waits on the path 4.938s');
    await page.close();
  });

  test('leads from a segment to its row', async () => {
    const page = await open('one');
    await page
      .getByRole('button', { name: /^cloud-config\.service/ })
      .first()
      .click();
    await expect.poll(() => page.locator('#details h2').textContent()).toBe('cloud-config.service');
    await expect.poll(() => rowNames(page)).not.toContain('cloud-init-local.service');
    await page.close();
  });

  test('shows date, host, version and the inputs', async () => {
    const page = await open('one');
    expect(await page.locator('.top').textContent()).toMatch(/booted 2026-11-15 21:07:58 UTC.*headstart \d+\.\d+/s);
    await page.getByRole('tab', { name: 'About' }).click();
    expect(await page.locator('#panel-about').textContent()).toContain('first-boot.tar.gz/');
    await page.close();
  });
});

describe('the waterfall', () => {
  test('opens on the path, with the kernel, in groups with their time', async () => {
    const page = await open('one');
    expect(await page.locator('#least').inputValue()).toBe('critical');
    const groups = await page.locator('.row.group:visible .text').allTextContents();
    expect(groups).toEqual(['kernel', 'early units', 'cloud-init', 'later units']);
    expect(await rowNames(page)).toContain('kernel');
    expect(await page.locator('.row.group').nth(2).textContent()).toContain('1min 18.438s on the path, 75 %');
    await page.locator('.row.group .twist').nth(1).click();
    await expect.poll(() => rowNames(page)).not.toContain('systemd-remount-fs.service');
    await page.close();
  });

  test('shows only rows of the selected range, and never an empty screen', async () => {
    const page = await open('one');
    const axis = (await page.locator('#axis').boundingBox())!;
    for (const at of [0.05, 0.165, 0.2, 0.4, 0.6, 0.95]) {
      await page.keyboard.press('0');
      await page.mouse.move(axis.x + axis.width * at, axis.y + 20);
      await page.mouse.down();
      await page.mouse.move(axis.x + axis.width * (at + 0.01), axis.y + 20, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => page.locator('#shown').textContent()).toContain('in this range');
      const bars = await page
        .locator('.row:visible:not(.group)')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll<HTMLElement>('.bar')].some((bar) => !bar.hidden)),
        );
      expect(bars.length).toBeGreaterThan(0);
      expect(bars).not.toContain(false);
    }
    await page.close();
  });

  test('shows the parts of a unit that is searched; Escape clears the search', async () => {
    const page = await open('one');
    await page.locator('#search').fill('cloud-final.service');
    await expect.poll(() => rowNames(page)).toContain('config-keys-to-console');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#search').inputValue()).toBe('');
    await expect.poll(() => rowNames(page)).toContain('cloud-init-local.service');
    await page.close();
  });

  test('draws a failed span unlike a critical one, and marks a bar that leaves the chart', async () => {
    const record = bootRecord({
      manager: managerTimes({ finishUs: 20e6 }),
      units: [
        unit('critical.service', 3, 9),
        unit('broken.service', 3, 5, [], { activeState: 'failed', result: 'exit-code' }),
        unit('multi-user.target', 12.5, 0, ['critical.service']),
      ],
      spans: [span('extension:AKS.CSE.cse_start', 10, 90)],
    });
    const path = join(folder, 'failed.html');
    writeFileSync(path, renderReport([reportView(record, 'failed')]));
    const { page } = await openFile(browser, path, SCREEN);
    await page.locator('#least').selectOption('0');
    const look = (id: string) =>
      page.locator(`.row[data-id="${id}"] .bar`).evaluate((bar) => {
        const { boxShadow, backgroundImage } = getComputedStyle(bar);
        return { isOutlined: boxShadow !== 'none', isHatched: backgroundImage !== 'none' };
      });
    await expect.poll(() => look('systemd:broken.service')).toEqual({ isOutlined: false, isHatched: true });
    expect(await look('systemd:critical.service')).toEqual({ isOutlined: true, isHatched: false });
    expect(await page.locator('.bar.cut-right').count()).toBe(1);
    await page.close();
  });

  test('keeps tab, range, row and search in the address', async () => {
    const page = await open('one');
    await page.locator('#search').fill('cloud-final');
    await expect.poll(async () => (await rowNames(page))[0]).toBe('cloud-final.service');
    await page.locator('.row[data-id="systemd:cloud-final.service"]').click();
    await page.keyboard.press('+');
    await expect.poll(() => hash(page)).toMatch(/from=.*row=.*search=cloud-final/);
    await page.getByRole('tab', { name: 'Critical path' }).click();
    await expect.poll(() => hash(page)).toContain('tab=path');
    const address = page.url();
    const again = await browser.newPage({ viewport: SCREEN });
    await again.goto(address);
    await expect.poll(() => again.locator('#panel-path').isVisible()).toBe(true);
    await again.getByRole('tab', { name: 'Waterfall' }).click();
    expect(await again.locator('#search').inputValue()).toBe('cloud-final');
    expect(await again.locator('#details h2').textContent()).toBe('cloud-final.service');
    await again.close();
    await page.close();
  });
});

test('the path table adds up and shows what is inside', async () => {
  const page = await open('one');
  await page.getByRole('tab', { name: 'Critical path' }).click();
  const panel = page.locator('#panel-path');
  expect(await panel.locator('h2').textContent()).toContain('adds up to 1min 44.768s');
  expect(await panel.locator('tbody tr').first().textContent()).toContain('kernel');
  expect(await panel.textContent()).toContain('longest inside: config-scripts-user 14.668s');
  await page.close();
});

describe('several boots', () => {
  test('have colours that differ, also in the legend, and lines of one height', async () => {
    const page = await open('four');
    const colours = await page
      .locator('.row[data-id="phase:kernel"] .bar')
      .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).backgroundColor));
    expect(new Set(colours).size).toBe(4);
    const legend = await page
      .locator('#order .sample')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    expect(legend).toEqual(colours);
    expect((await page.locator('.row').first().boundingBox())!.height).toBeLessThan(50);
    await page.screenshot({ path: join(out, 'answer-four.png') });
    await page.close();
  });

  test('list changes on the path first, with shares that explain the difference', async () => {
    const page = await open('two');
    await page.getByRole('tab', { name: 'Changes' }).click();
    expect(await page.locator('#panel-changes h2').allTextContents()).toEqual([
      'From A to B: on the critical path',
      'From A to B: not on the path, or part of it',
    ]);
    const onPath = page.locator('#panel-changes .card').first();
    expect(await onPath.textContent()).not.toContain('dev-vda.device');
    const shares = await onPath.locator('tbody td:nth-child(2)').allTextContents();
    const sum = shares.reduce(
      (percents, text) => percents + Number.parseInt(text.replace('<1', '0').replace('−', '-'), 10),
      0,
    );
    expect(Math.abs(sum - 100)).toBeLessThan(10);
    await page.close();
  });
});

describe.each([
  ['a small window', { width: 800, height: 600 }],
  ['a phone', { width: 390, height: 844 }],
])('on %s', (where, look) => {
  test.each(['one', 'two', 'four'])('the page scrolls down to the rows and never sideways: %s', async (name) => {
    const page = await open(name, look);
    await page.screenshot({ path: join(out, `answer-${name}-${look.width}.png`) });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.width);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect
      .poll(() => page.locator('.tabs').evaluate((tabs) => Math.round(tabs.getBoundingClientRect().top)))
      .toBeLessThan(look.height / 2);
    const inSight = await page
      .locator('.row:not(.group)')
      .evaluateAll(
        (rows) =>
          rows.filter(
            (row) =>
              !(row as HTMLElement).hidden &&
              row.getBoundingClientRect().top > 0 &&
              row.getBoundingClientRect().bottom <= window.innerHeight,
          ).length,
      );
    expect(inSight, where).toBeGreaterThanOrEqual(4);
    await page.close();
  });

  test('labels and buttons stay inside', async () => {
    const page = await open('one', look);
    const outside = await page
      .locator('.flag, .top button, .answer h2, .finding')
      .evaluateAll((found) =>
        found
          .filter(
            (one) => one.getBoundingClientRect().right > window.innerWidth + 1 || one.getBoundingClientRect().left < 0,
          )
          .map((one) => one.textContent),
      );
    expect(outside).toEqual([]);
    const overflowing = await page
      .locator('.top button')
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
          .map((one) => one.textContent),
      );
    expect(overflowing).toEqual([]);
    await page.close();
  });
});

test.each(['one', 'node', 'two', 'four'])('prints on at most four A4 pages: %s', async (name) => {
  const page = await open(name);
  const path = join(out, `answer-${name}.pdf`);
  const pdf = await page.pdf({ path, format: 'A4' });
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThanOrEqual(4);
  await page.close();
});

test('without scripts, the sentence, the findings and the path are there', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: SCREEN });
  const page = await context.newPage();
  await page.goto(pathToFileURL(paths.get('one')!).href);
  expect(await page.locator('#static h2').textContent()).toMatch(/^Startup finished after 1min 45s/);
  expect(await page.locator('#static table').textContent()).toContain('cloud-final.service');
  expect(await page.locator('#static').textContent()).toContain('booted 2026-11-15');
  for (const empty of ['.tabs', '#panel-waterfall', '.tools', '#answer']) {
    expect(await page.locator(empty).isVisible(), empty).toBe(false);
  }
  expect((await page.locator('#static h2').boundingBox())!.y).toBeLessThan(100);
  await context.close();
});
