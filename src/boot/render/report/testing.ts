/// <reference lib="dom" />
// boot/render/report/testing.ts: a fake of the browser APIs that the page uses, and a page of small boots. e2e tests cover layout.
import { vi } from 'vitest';
import type { ReportRow, ReportView } from '../report-data.ts';
import { linesOfViews, shownLines } from './lines.ts';
import { lastEndUs, type Page } from './page-state.ts';
import type { TimeWindow } from './time-window.ts';

type Listener = (event: Record<string, unknown>) => void;

export class FakeElement {
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  readonly style: Record<string, unknown> & { setProperty(name: string, value: string): void };
  readonly drawn: unknown[][] = [];
  nodes: (FakeElement | string)[] = [];
  parent: FakeElement | undefined;
  hidden = false;
  value = '';
  tabIndex = 0;
  clientWidth = 1000;
  offsetWidth = 1010;
  clientHeight = 240;
  scrollTop = 0;
  box = { left: 0, right: 1000, top: 0, width: 1000, height: 30 };
  /** Calls of focus, blur and showModal. */
  readonly calls: string[] = [];
  readonly #listeners: { name: string; listener: Listener }[] = [];

  constructor(tagName = 'div') {
    this.tagName = tagName;
    const style: Record<string, unknown> = {};
    this.style = Object.assign(style, {
      setProperty: (name: string, value: string) => {
        style[name] = value;
      },
    });
  }

  get id(): string {
    return this.attributes.get('id') ?? '';
  }
  set id(id: string) {
    this.attributes.set('id', id);
  }
  get className(): string {
    return this.attributes.get('class') ?? '';
  }
  set className(names: string) {
    this.attributes.set('class', names);
  }
  get textContent(): string {
    return this.nodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join('');
  }
  set textContent(text: string) {
    this.nodes = [text];
  }
  readonly classList = {
    add: (name: string) => this.classList.toggle(name, true),
    remove: (name: string) => this.classList.toggle(name, false),
    contains: (name: string) => this.className.split(' ').includes(name),
    toggle: (name: string, isOn: boolean) => {
      const others = this.className.split(' ').filter((one) => one !== '' && one !== name);
      this.className = [...others, ...(isOn ? [name] : [])].join(' ');
    },
  };

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  append(...nodes: (FakeElement | string)[]): void {
    for (const node of nodes) if (node instanceof FakeElement) node.parent = this;
    this.nodes.push(...nodes);
  }
  replaceChildren(...nodes: (FakeElement | string)[]): void {
    this.nodes = [];
    this.append(...nodes);
  }
  remove(): void {
    if (this.parent) this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
  }
  addEventListener(name: string, listener: Listener): void {
    this.#listeners.push({ name, listener });
  }
  removeEventListener(name: string, listener: Listener): void {
    const at = this.#listeners.findIndex((one) => one.name === name && one.listener === listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }
  /** Returns whether a listener called preventDefault. */
  fire(name: string, event: Record<string, unknown> = {}): boolean {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    for (const { name: of, listener } of [...this.#listeners]) {
      if (of === name) listener({ target: this, preventDefault, ...event });
    }
    return isPrevented;
  }
  closest(selectors: string): FakeElement | null {
    const isOne = (selector: string) =>
      selector.startsWith('#') ? this.id === selector.slice(1) : this.classList.contains(selector.slice(1));
    return selectors.split(', ').some(isOne) ? this : (this.parent?.closest(selectors) ?? null);
  }
  contains(other: unknown): boolean {
    return this === other || this.nodes.some((node) => node instanceof FakeElement && node.contains(other));
  }
  getBoundingClientRect() {
    return this.box;
  }
  getContext() {
    return { scale: () => {}, fillRect: (...rect: number[]) => this.drawn.push(rect) };
  }
  setPointerCapture(): void {}
  focus(): void {
    this.calls.push('focus');
  }
  blur(): void {
    this.calls.push('blur');
  }
  showModal(): void {
    this.calls.push('showModal');
  }

  all(): FakeElement[] {
    return this.nodes.flatMap((node) => (node instanceof FakeElement ? [node, ...node.all()] : []));
  }
  /** `what`: a tag, or a class if it begins with a dot. */
  texts(what: string): string[] {
    return this.find(what).map((one) => one.textContent);
  }
  find(what: string): FakeElement[] {
    return this.all().filter((one) =>
      what.startsWith('.') ? one.classList.contains(what.slice(1)) : one.tagName === what,
    );
  }
}

export class FakeInput extends FakeElement {}

const TABS = ['waterfall', 'slowest', 'path', 'changes', 'about'];

/** Creates an element on the first `byId` call. */
export class FakeBrowser {
  readonly window = Object.assign(new FakeElement('window'), {
    innerWidth: 1200,
    innerHeight: 800,
    devicePixelRatio: 1,
    scrollY: 0,
    location: { hash: '' },
    history: { replaceState: () => {} },
  });
  readonly body = new FakeElement('body');
  readonly #byId = new Map<string, FakeElement>();

  constructor() {
    for (const name of TABS) this.byId(`tab-${name}`).setAttribute('role', 'tab');
    this.byId('range').hidden = true;
    vi.stubGlobal('window', this.window);
    vi.stubGlobal('Node', FakeElement);
    vi.stubGlobal('Element', FakeElement);
    vi.stubGlobal('HTMLInputElement', FakeInput);
    vi.stubGlobal('HTMLSelectElement', FakeInput);
    vi.stubGlobal('getComputedStyle', (probe: FakeElement) => ({ color: probe.className }));
    vi.stubGlobal('document', {
      body: this.body,
      createElement: (tag: string) => new FakeElement(tag),
      createElementNS: (_: string, tag: string) => new FakeElement(tag),
      getElementById: (id: string) => this.byId(id),
      querySelectorAll: (selector: string) => this.#select(selector),
    });
  }

  byId(id: string): FakeElement {
    const known =
      this.#byId.get(id) ?? (id === 'search' || id === 'least' ? new FakeInput('input') : new FakeElement());
    if (!this.#byId.has(id)) {
      known.id = id;
      this.#byId.set(id, known);
    }
    return known;
  }

  #select(selector: string): FakeElement[] {
    if (selector === '.chip') return this.byId('sources').find('.chip');
    const tabs = TABS.map((name) => this.byId(`tab-${name}`));
    return selector.endsWith(':not([hidden])') ? tabs.filter((tab) => !tab.hidden) : tabs;
  }
}

export function row(id: string, startUs: number, endUs: number, more: Partial<ReportRow> = {}): ReportRow {
  return { id, name: id, source: 'systemd', startUs, endUs, ...more };
}

export function view(rows: ReportRow[], more: Partial<ReportView> = {}): ReportView {
  return {
    label: 'boot',
    host: 'host',
    zero: 'kernel',
    startUs: 0,
    endUs: 100,
    totalUs: 100,
    totalOf: 'all of it',
    sentence: 'all of it took 100us.',
    segments: [],
    findings: [],
    facts: [],
    inputs: [],
    milestones: [],
    rows,
    path: [],
    notes: [],
    ...more,
  };
}

export function pathThrough(...rows: ReportRow[]): ReportView['path'] {
  return rows.map(({ id, name, source, startUs, endUs }) => ({ id, name, source, startUs, endUs, gapUs: 0 }));
}

/** A page that shows everything and only records the calls it receives. */
export function pageOf(...views: ReportView[]): Page & { calls: unknown[][] } {
  const lines = linesOfViews(views);
  const endUs = [...lines.values()].reduce((last, line) => Math.max(last, lastEndUs(line)), 100);
  const home: TimeWindow = { fromUs: 0, toUs: endUs };
  const calls: unknown[][] = [];
  const page: Page & { calls: unknown[][] } = {
    calls,
    views,
    lines,
    critical: views.map(({ path }) => new Set(path.map(({ id }) => id))),
    limits: home,
    home,
    seen: home,
    filter: {
      query: '',
      minUs: 0,
      isCriticalOnly: false,
      hiddenSources: new Set(),
      openIds: new Set(lines.keys()),
      range: undefined,
    },
    shown: [],
    rowOf: new Map(),
    selectedId: undefined,
    zoomTo: (window) => calls.push(['zoomTo', window]),
    refilter: () => calls.push(['refilter']),
    select: (id) => calls.push(['select', id]),
    reveal: (id) => calls.push(['reveal', id]),
    toggle: (line) => calls.push(['toggle', line.id]),
  };
  page.shown = shownLines(lines, page.filter);
  page.rowOf = new Map(page.shown.map(({ line }, at) => [line.id, at]));
  return page;
}
