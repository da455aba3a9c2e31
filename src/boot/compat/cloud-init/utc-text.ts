// boot/compat/cloud-init/utc-text.ts: formats an instant like Python's datetime: `2026-11-15 20:56:48.780784`, without a zero fraction.

export function utcText(us: number): string {
  const date = new Date(Math.floor(us / 1e6) * 1000);
  if (Number.isNaN(date.getTime())) return 'out of range';
  const micros = us - Math.floor(us / 1e6) * 1e6;
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
  return `${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}`;
}
