// image/build/disk/disk-layout.ts: what is where on an image's disk? Numbers only: a table, the firmware's partition, the root, the table again.

const MIB = 2 ** 20;
/** Room for the table in front, and for its copy at the end: a whole MiB each, so that everything begins and ends at one. */
const TABLE_BYTES = MIB;
/** A kernel with its initrd takes some 30 MiB of it; it is mostly a hole, and has to be this large to be FAT32 at all. */
const ESP_BYTES = 128 * MIB;

export interface Extent {
  startBytes: number;
  bytes: number;
}

export interface DiskLayout {
  diskBytes: number;
  /** What the firmware reads: boot loader, kernel, initrd. */
  esp: Extent;
  /** The last one, so that it can grow. */
  root: Extent;
}

/** How large the root file system has to be to fill a disk of that size. */
export function rootBytesFor(diskBytes: number): number {
  const bytes = diskBytes - 2 * TABLE_BYTES - ESP_BYTES;
  if (bytes > 0 && diskBytes % MIB === 0) return bytes;
  throw new RangeError(`a disk of ${diskBytes} bytes: it is a whole number of MiB, and more than ${130 * MIB} bytes`);
}

export function layoutFor(rootBytes: number): DiskLayout {
  if (rootBytes <= 0 || rootBytes % MIB !== 0)
    throw new RangeError(`a root file system of ${rootBytes} bytes: it is a whole number of MiB`);
  const esp = { startBytes: TABLE_BYTES, bytes: ESP_BYTES };
  const root = { startBytes: esp.startBytes + esp.bytes, bytes: rootBytes };
  return { diskBytes: root.startBytes + root.bytes + TABLE_BYTES, esp, root };
}
