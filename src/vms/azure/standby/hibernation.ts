// vms/azure/standby/hibernation.ts: can VMs of this size be hibernated, as far as Microsoft documents it? Pure.

export type CanHibernate = 'yes' | 'no' | 'unknown';

/** Documented in 2024: general purpose D and E sizes of version 5, up to 64 GB. The list grows, so that other sizes are unknown. */
export function canHibernate(size: string): CanHibernate {
  const [, family, cores, features, version] =
    /^Standard_([A-Z]+?)(\d+)(?:-\d+)?([a-z]*)_?(?:v(\d+))?$/.exec(size) ?? [];
  if (!family || !cores) return 'unknown';
  if (features?.includes('p') || family === 'B' || (version ?? '1') === '1') return 'no';
  if (version !== '5' || (family !== 'D' && family !== 'E')) return 'unknown';
  const gigabytes = Number(cores) * (family === 'E' ? 8 : features?.includes('l') ? 2 : 4);
  return gigabytes <= 64 ? 'yes' : 'no';
}
