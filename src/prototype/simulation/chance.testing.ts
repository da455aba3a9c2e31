// prototype/simulation/chance.testing.ts: numbers that look random and depend on the seed alone.

export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = mixed(seed ^ 0x9e3779b9);
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    return mixed(this.state) / 2 ** 32;
  }

  /** Both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  bool(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)]!;
  }
}

/** In [0, 1), for this text and number alone: a case with one action less keeps the latencies of all its calls. */
export function fraction(seed: number, text: string, index: number): number {
  let hash = mixed(seed ^ 0x85ebca6b);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash ^ Math.imul(index, 0xc2b2ae35)) / 2 ** 32;
}

function mixed(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
