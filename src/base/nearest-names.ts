// base/nearest-names.ts: which known names did the user probably mean?

/** Up to three, closest first. */
export function nearestNames(wanted: string, known: Iterable<string>): string[] {
  const stem = stemOf(wanted);
  const scored: { name: string; distance: number }[] = [];
  for (const name of known) {
    const isPart = stem.length >= 3 && name.includes(stem);
    // Compare without suffixes too: a common `.service` does not make names similar, a missing one is a typo.
    const distance = isPart ? 0.5 : Math.min(editDistance(wanted, name), editDistance(stem, stemOf(name)));
    if (distance <= Math.max(stem.length < 4 ? 1 : 2, stem.length / 3)) scored.push({ name, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** ` (did you mean A or B?)`, or an empty string. */
export function didYouMean(wanted: string, known: Iterable<string>): string {
  const names = nearestNames(wanted, known);
  return names.length === 0 ? '' : ` (did you mean ${names.join(' or ')}?)`;
}

/** `a, b and 3 more`, or `none`. */
export function fewNames(names: readonly string[], most = 10): string {
  if (names.length === 0) return 'none';
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

function stemOf(name: string): string {
  return name.replace(/\.[a-z]+$/, '');
}

/** Levenshtein distance of the first 64 characters. */
function editDistance(one: string, other: string): number {
  const [a, b] = [one.slice(0, 64), other.slice(0, 64)];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, replaced));
    }
    above = row;
  }
  return above[b.length]!;
}
