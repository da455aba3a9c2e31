// image/build/disk/disk-layout.ts: where are the parts of an image's disk? Partition table, EFI partition, root partition, backup table. Numbers only.

const MIB = 2 ** 20;
/** Space for the table and for its backup at the end: one MiB each, so that all partitions are MiB-aligned. */
const TABLE_BYTES = MIB;
/** Kernel and initrd need about 30 MiB, but FAT32 with its clusters of 1 KiB needs at least 64 MiB. Most of it is a hole. */
const ESP_BYTES = 128 * MIB;

export interface DiskExtent {
  startBytes: number;
  bytes: number;
}

export interface DiskLayout {
  diskBytes: number;
  /** The EFI partition: boot loader, kernel, initrd. */
  esp: DiskExtent;
  /** Last on the disk, so that it can grow. */
  root: DiskExtent;
}

/** The size of a root file system that fills a disk of this size. */
export function rootBytesFor(diskBytes: number): number {
  const bytes = diskBytes - 2 * TABLE_BYTES - ESP_BYTES;
  if (bytes > 0 && diskBytes % MIB === 0) return bytes;
  throw new RangeError(`a disk of ${diskBytes} bytes: expected a whole number of MiB, more than ${130 * MIB} bytes`);
}

export function layoutFor(rootBytes: number): DiskLayout {
  if (rootBytes <= 0 || rootBytes % MIB !== 0)
    throw new RangeError(`a root file system of ${rootBytes} bytes: expected a whole number of MiB`);
  const esp = { startBytes: TABLE_BYTES, bytes: ESP_BYTES };
  const root = { startBytes: esp.startBytes + esp.bytes, bytes: rootBytes };
  return { diskBytes: root.startBytes + root.bytes + TABLE_BYTES, esp, root };
}
