// boot/compat/cloud-init/exact/python-numbers.ts: formats floats like Python.

/** repr(float): the shortest digits that round-trip, always recognisable as a float. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent] = value.toExponential().split('e') as [string, string];
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** `%.Nf`: rounds exact halves to even (toFixed rounds them up). */
export function pythonFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return floatRepr(value);
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${decimals > 0 ? `.${'0'.repeat(decimals)}` : ''}`;
  const rounded = value.toFixed(Math.min(decimals, 100));
  if (!Number.isInteger(value * 2 ** (decimals + 1))) return rounded; // cannot be exactly halfway
  const exact = value.toFixed(Math.min(decimals + 1, 100));
  const cut = exact.slice(0, decimals === 0 ? -2 : -1);
  return exact.endsWith('5') && Number(cut.at(-1)) % 2 === 0 ? cut : rounded;
}

/** `{:08.5f}` */
export function seconds08(value: number): string {
  const text = pythonFixed(value, 5);
  return text[0] === '-' ? `-${text.slice(1).padStart(7, '0')}` : text.padStart(8, '0');
}
