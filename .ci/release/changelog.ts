// .ci/release/changelog.ts: what does CHANGELOG.md say about a version? Pure.

export interface ChangelogEntry {
  /** What follows the version in the heading: ` - 2026-11-19`. */
  rest: string;
  /** Without the heading, trimmed. */
  text: string;
}

/** The section of a heading such as `## 1.2.0 - 2026-11-19` or `## Unreleased`. */
export function entryOf(changelog: string, name: string): ChangelogEntry | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  for (const section of sections) {
    const end = section.indexOf('\n');
    const heading = (end < 0 ? section : section.slice(0, end)).trim();
    const [word = ''] = heading.split(/\s/);
    if (word.replace(/^\[(.*)\]$/, '$1') === name)
      return { rest: heading.slice(word.length), text: end < 0 ? '' : section.slice(end).trim() };
  }
  return undefined;
}
