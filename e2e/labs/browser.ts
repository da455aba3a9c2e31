// e2e/labs/browser.ts: a real Chromium for tests, which records errors and network requests of a page.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `no Chromium at ${executablePath}: install the Debian package "chromium" (apt-get install chromium), or set CHROMIUM to another`,
    );
  }
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  return chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet],
  });
}

export interface Opened {
  page: Page;
  /** Errors on the console, uncaught ones included, and dialogs. */
  complaints: string[];
  /** Requested addresses, except the file itself. */
  requests: string[];
}

export interface Look {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
}

export async function openFile(
  browser: Browser,
  path: string,
  { width = 1280, height = 800, theme = 'light' }: Look = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  const address = pathToFileURL(path).href;
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== address) requests.push(request.url());
  });
  await page.goto(address);
  await page.locator('.row').first().waitFor();
  return { page, complaints, requests };
}
