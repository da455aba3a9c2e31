// image/lock/package-index.ts: what do Debian's package indices contain? One entry per package version, with the path and hash of its file.

export interface IndexEntry {
  name: string;
  version: string;
  /** The suite whose index lists it: `bookworm-security`. */
  suite: string;
  path: string;
  sha256: string;
  bytes: number;
  /** Part of every Debian system: essential, required, or apt. */
  isBasic: boolean;
}

export type PackageIndex = ReadonlyMap<string, readonly IndexEntry[]>;

/** The same version in two suites is the same file, so the first suite wins. */
export function buildIndex(texts: readonly { suite: string; text: string }[]): PackageIndex {
  const index = new Map<string, IndexEntry[]>();
  for (const { suite, text } of texts) {
    for (const entry of parsePackages(text, suite)) {
      const versions = index.get(entry.name);
      if (versions === undefined) index.set(entry.name, [entry]);
      else if (!versions.some(({ version }) => version === entry.version)) versions.push(entry);
    }
  }
  return index;
}

function* parsePackages(text: string, suite: string): Generator<IndexEntry> {
  // One stanza at a time: an index has about 50 MB, and an array of its lines takes many times that.
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n\n', start);
    const stanza = text.slice(start, end < 0 ? text.length : end);
    start = end < 0 ? text.length : end + 2;
    const entry = parseStanza(stanza, suite);
    if (entry) yield entry;
  }
}

function parseStanza(stanza: string, suite: string): IndexEntry | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(stanza)?.[1]?.trim();
  const [name, version, path, sha256, size] = ['Package', 'Version', 'Filename', 'SHA256', 'Size'].map(field);
  if (!name || !version || !path || !sha256 || !size) return undefined;
  const isBasic = field('Essential') === 'yes' || field('Priority') === 'required' || name === 'apt';
  return { name, version, suite, path: path.replace(/^\.\//, ''), sha256, bytes: Number(size), isBasic };
}

export interface SuiteRelease {
  /** ISO 8601. */
  date: string;
}

/** Parses `Date: Sat, 15 Nov 2026 08:12:00 UTC` in InRelease. */
export function parseSuiteRelease(text: string): SuiteRelease | undefined {
  const ms = Date.parse(/^Date: (.+)$/m.exec(text)?.[1] ?? '');
  return Number.isNaN(ms) ? undefined : { date: new Date(ms).toISOString() };
}

/** `2026.1116`. Galleries accept only integers without leading zeros: January is 1, not 01. */
export function baseDate(dates: readonly string[]): string {
  const newest = new Date([...dates].sort().at(-1) ?? 0);
  return `${newest.getUTCFullYear()}.${(newest.getUTCMonth() + 1) * 100 + newest.getUTCDate()}`;
}
