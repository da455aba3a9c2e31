// image/lock/package-index.ts: what is in Debian's package indices? One entry for each version of a package, with its bytes' hash and place.

export interface IndexEntry {
  name: string;
  version: string;
  /** `bookworm-security`: which of the indices has it. */
  suite: string;
  path: string;
  sha256: string;
  bytes: number;
  /** Part of the smallest system there can be. */
  isBasic: boolean;
}

export type PackageIndex = ReadonlyMap<string, readonly IndexEntry[]>;

/** The same version in two suites is the same file: the first one is taken. */
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
  // Stanzas one by one: an index is some fifty megabytes, and a list of all of its lines many times that.
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

/** `Date: Sat, 15 Nov 2026 08:12:00 UTC`, as it is in InRelease. */
export function parseSuiteRelease(text: string): SuiteRelease | undefined {
  const ms = Date.parse(/^Date: (.+)$/m.exec(text)?.[1] ?? '');
  return Number.isNaN(ms) ? undefined : { date: new Date(ms).toISOString() };
}

/** `2026.1116`. Whole numbers, as galleries want them: January is 1, not 01. */
export function baseDate(dates: readonly string[]): string {
  const newest = new Date([...dates].sort().at(-1) ?? 0);
  return `${newest.getUTCFullYear()}.${(newest.getUTCMonth() + 1) * 100 + newest.getUTCDate()}`;
}
