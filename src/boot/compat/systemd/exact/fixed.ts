// boot/compat/systemd/exact/fixed.ts: formats a number with fixed decimals like C's printf.

/** C rounds exact halves to even, JavaScript away from zero; everything else is the same. */
export function cFixed(value: number, decimals: number): string {
  const scaled = Math.abs(value) * 2 ** (decimals + 1);
  if (!Number.isInteger(scaled) || scaled % 2 === 0) return value.toFixed(decimals);
  const below = Math.floor(Math.abs(value) * 10 ** decimals);
  const even = below % 2 === 0 ? below : below + 1;
  return `${value < 0 ? '-' : ''}${(even / 10 ** decimals).toFixed(decimals)}`;
}
