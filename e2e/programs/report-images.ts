/// <reference lib="dom" />
// e2e/programs/report-images.ts: the pictures of docs/report.md: the report of one, two and four boots, on every screen and on paper.
// Needs Chromium, pdftoppm (poppler-utils) and pngquant. Run it after a visible change: node e2e/programs/report-images.ts
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { run } from '../../src/cli/testing.ts';
import { launchChromium, openFile } from '../labs/browser.ts';

const root = join(import.meta.dirname, '..', '..');
const boots = join(root, 'src/boot/fixtures/boots');
const images = join(root, 'docs/images');
const REPORTS = {
  one: ['node'],
  two: ['first', 'clone'],
  four: ['first', 'clone', 'node', 'first'],
} as const;
const SCREENS = {
  '': { width: 1400, height: 900 },
  '-800': { width: 800, height: 600 },
  '-phone': { width: 390, height: 844 },
} as const;
const COLOURS = '40';
const PAGE_HEIGHT = '720px';

const folder = mkdtempSync(join(tmpdir(), 'headstart-images-'));
const browser = await launchChromium();
try {
  for (const [name, inputs] of Object.entries(REPORTS)) {
    const path = join(folder, `${name}.html`);
    const files = inputs.map((input) => join(boots, `${input}-boot.tar.gz`));
    const { code, stderr } = await run(['boot', 'report', ...files, '-o', path]);
    if (code !== 0) throw new Error(stderr);
    for (const [size, look] of Object.entries(SCREENS)) {
      for (const theme of ['light', 'dark'] as const) {
        const { page } = await openFile(browser, path, { ...look, theme });
        const image = join(folder, `report-${name}${size}${theme === 'dark' ? '-dark' : ''}.png`);
        await page.screenshot({ path: image });
        await page.close();
      }
    }
    await printed(browser, name, path);
  }
} finally {
  await browser.close();
}
for (const file of readdirSync(folder).filter((one) => one.startsWith('report-'))) {
  const output = join(images, file);
  execFileSync('pngquant', [
    '--force',
    '--strip',
    '--nofs',
    '--speed',
    '1',
    '--output',
    output,
    COLOURS,
    join(folder, file),
  ]);
}
rmSync(folder, { recursive: true });

/** The pages next to each other. */
async function printed(browser: Browser, name: string, path: string): Promise<void> {
  const { page } = await openFile(browser, path, SCREENS['']);
  const pdf = join(folder, `${name}.pdf`);
  await page.pdf({ path: pdf, format: 'A4' });
  execFileSync('pdftoppm', ['-r', '96', '-png', pdf, join(folder, `page-${name}`)]);
  await page.close();
  const sheet = await browser.newPage();
  await sheet.setContent('<body style="margin:0;padding:8px;display:inline-flex;gap:8px;background:#8a8f98"></body>');
  for (const file of readdirSync(folder)
    .filter((one) => one.startsWith(`page-${name}-`))
    .sort()) {
    const source = `data:image/png;base64,${readFileSync(join(folder, file)).toString('base64')}`;
    await sheet.evaluate(
      ([src, height]) =>
        new Promise((resolve) => {
          const image = new Image();
          image.style.height = height!;
          image.onload = resolve;
          image.src = src!;
          document.body.append(image);
        }),
      [source, PAGE_HEIGHT],
    );
  }
  await sheet.locator('body').screenshot({ path: join(folder, `report-${name}-print.png`) });
  await sheet.close();
}
