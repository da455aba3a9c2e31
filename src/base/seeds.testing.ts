// base/seeds.testing.ts: which seeds does a long test use? `make campaign SEEDS=a-b` sets HEADSTART_SEEDS.

/** `3`, `1-12`, `1-3,7`: sorted, without duplicates. Undefined for anything else. */
export function parseSeeds(text: string): number[] | undefined {
  const seeds = new Set<number>();
  for (const range of text.split(/[\s,]+/).filter(Boolean)) {
    const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
    if (first === undefined || Number(last) < Number(first) || Number(last) - Number(first) > 100_000) return undefined;
    for (let seed = Number(first); seed <= Number(last); seed++) seeds.add(seed);
  }
  return seeds.size === 0 ? undefined : [...seeds].sort((a, b) => a - b);
}

/** `1-3,7`. */
export function renderSeeds(seeds: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const seed of seeds) {
    const range = ranges.at(-1);
    if (range && seed === range[1] + 1) range[1] = seed;
    else ranges.push([seed, seed]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export function requestedSeeds(defaultSeeds: string): number[] {
  const text = process.env.HEADSTART_SEEDS ?? defaultSeeds;
  const seeds = parseSeeds(text);
  if (!seeds) throw new Error(`HEADSTART_SEEDS: expected seeds such as 1-12, got ${text}`);
  return seeds;
}
