// node/document/quantity.ts: how are Kubernetes quantities of memory and CPU parsed?

const BYTES_PER: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export const BYTES_PATTERN = /^\d{1,15}(?:\.\d{1,6})?(?:[kMGT]|[KMGT]i)?$/;
export const CPU_PATTERN = /^(?:\d{1,9}m|\d{1,6}(?:\.\d{1,3})?)$/;

/** `255Mi` → whole bytes; undefined if it is not an amount of memory. */
export function parseBytes(text: string): number | undefined {
  if (!BYTES_PATTERN.test(text)) return undefined;
  const [, number, suffix] = /^([\d.]+)(\D*)$/.exec(text)!;
  const bytes = Math.floor(Number(number) * BYTES_PER[suffix!]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `100m`, `1.5` → millicores; undefined if it is not an amount of CPU. */
export function parseCpu(text: string): number | undefined {
  if (!CPU_PATTERN.test(text)) return undefined;
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Math.round(Number(text) * 1000);
}
