/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { drawAxis } from './axis.ts';
import { FakeBrowser, pageOf, row, view } from './testing.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const milestone = (name: string, atUs: number) => ({ name, atUs }) as never;
const flags = () => browser.byId('axis').texts('.flag');

describe('the axis', () => {
  test('has a flag for every visible milestone, which extends to the left at the end', () => {
    const milestones = [milestone('userspace', 100), milestone('node-ready', 990), milestone('pod-running', 5000)];
    drawAxis(pageOf(view([row('a', 0, 1000)], { milestones })), 1000);
    const flags = browser.byId('axis').find('.flag');
    expect(flags.map((flag) => [flag.textContent, flag.classList.contains('to-left')])).toEqual([
      ['node-ready', true],
      ['userspace', false],
    ]);
  });

  test('drops the least important names if there is no room for all', () => {
    const milestones = ['guest-agent-started', 'userspace', 'network-online', 'node-ready', 'startup-finished'].map(
      (name) => milestone(name, 500),
    );
    drawAxis(pageOf(view([row('a', 0, 1000)], { milestones })), 1000);
    expect(flags()).toEqual(['node-ready', 'startup-finished', 'network-online']);
    expect(browser.byId('grid').find('.milestone-line')).toHaveLength(5);
  });

  test('has fewer names on a narrow chart, so that none overlap', () => {
    const milestones = [0, 100, 200, 300, 400].map((at) => milestone('network-online', at));
    const page = pageOf(view([row('a', 0, 1000)], { milestones }));
    drawAxis(page, 1000);
    expect(flags()).toHaveLength(5);
    drawAxis(page, 200);
    expect(flags().length).toBeLessThan(5);
  });
});
