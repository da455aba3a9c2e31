/// <reference lib="dom" />
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReportView } from '../report-data.ts';
import { fillAnswer } from './answer.ts';
import { FakeBrowser, pageOf, row, view } from './testing.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const segments = [
  { id: 'a', name: 'a', kind: 'work', source: 'systemd', group: 'early units', startUs: 0, endUs: 60 },
  { name: 'before b', kind: 'gap', source: 'systemd', group: 'cluster', startUs: 60, endUs: 100 },
] as const;
const findings: ReportView['findings'] = [
  {
    kind: 'work',
    name: 'a',
    id: 'a',
    startUs: 0,
    endUs: 60,
    tookUs: 60,
    saving: { savedUs: 60, of: 'end' },
    command: 'headstart x',
  },
  {
    kind: 'gap',
    name: 'before b',
    startUs: 60,
    endUs: 100,
    tookUs: 40,
    saving: { unknown: 'why' },
    command: 'headstart y',
  },
  {
    kind: 'work',
    name: 'c',
    inside: 'd',
    startUs: 0,
    endUs: 5,
    tookUs: 5,
    saving: { unknown: 'why' },
    command: 'headstart z',
  },
];
const one = view([row('a', 0, 60)], { segments: [...segments], findings, sentence: 'Ready after 100us.' });

describe('the answer about one boot', () => {
  test('is the sentence, a bar of buttons, the sums and the findings', () => {
    fillAnswer(pageOf(one));
    const answer = browser.byId('answer');
    expect(answer.texts('h2')).toEqual(['Ready after 100us.']);
    expect(answer.find('.seg').flatMap((seg) => seg.getAttribute('data-us') ?? [])).toEqual(['60', '40']);
    expect(answer.texts('li')).toEqual([
      '100us all of it',
      'early units 60us',
      'waits on the path 0',
      'unexplained 40us',
    ]);
    expect(answer.texts('h3')).toEqual(['Largest work', 'Largest unexplained gap', 'Next work']);
    expect(answer.texts('code')).toEqual(['headstart x', 'headstart y', 'headstart z']);
  });

  test('leads to the row and the time of a segment', () => {
    const page = pageOf(one);
    fillAnswer(page);
    const [work, gap] = browser
      .byId('answer')
      .find('button')
      .filter((button) => button.classList.contains('seg'));
    work!.fire('click');
    expect(page.calls[0]).toEqual(['reveal', 'a']);
    gap!.fire('click');
    expect(page.calls.at(-1)).toEqual(['zoomTo', { fromUs: -440, toUs: 600 }]);
  });

  test('copies a command', async () => {
    const written: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void written.push(text) } });
    fillAnswer(pageOf(one));
    const [copy] = browser.byId('answer').find('.tool');
    copy!.fire('click');
    await vi.waitFor(() => expect(copy!.textContent).toBe('Copied'));
    expect(written).toEqual(['headstart x']);
  });
});

describe('the answer about several boots', () => {
  const changes = [{ id: 'a', name: 'a', change: 'slower', explainsUs: 50 }];

  test('is one line each, and what changed on the path', () => {
    fillAnswer(pageOf(one, { ...one, totalUs: 150, changes }));
    expect(browser.byId('answer').texts('.letter')).toEqual(['A', 'B']);
    const [card] = browser.byId('answer').find('.changes');
    expect(card!.textContent).toContain('+50us +50 %');
    expect(card!.texts('li')).toEqual(['a+50us']);
    expect(browser.byId('mini').textContent).toBe('A 100us · B 150us');
  });

  test('has one finding for each of many boots', () => {
    fillAnswer(pageOf(one, { ...one, changes }, { ...one, changes }));
    expect(browser.byId('answer').texts('h3')).toEqual(['A: Largest work', 'B: Largest work', 'C: Largest work']);
    expect(browser.byId('answer').texts('li')).toEqual(['early units', 'wait', 'unexplained']);
  });
});
