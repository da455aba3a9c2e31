// image/build/disk/vhd.ts: what makes a raw disk a fixed VHD? A footer of 512 bytes (Virtual Hard Disk Image Format Specification, 1.0).

export const VHD_FOOTER_BYTES = 512;
const FIXED = 2;

/** `diskBytes` must be a whole number of MiB, as Azure requires. Contains no timestamp. */
export function vhdFooter(diskBytes: number, id: string): Buffer {
  const footer = Buffer.alloc(VHD_FOOTER_BYTES);
  footer.write('conectix', 0, 'latin1');
  footer.writeUInt32BE(2, 8); // reserved, always set
  footer.writeUInt32BE(0x00010000, 12);
  footer.fill(0xff, 16, 24); // no dynamic header: the disk is fixed
  // Hyper-V's creator fields. With others, some programs derive the disk size from the rounded geometry.
  footer.write('win ', 28, 'latin1');
  footer.writeUInt32BE(0x000a0000, 32);
  footer.write('Wi2k', 36, 'latin1');
  footer.writeBigUInt64BE(BigInt(diskBytes), 40);
  footer.writeBigUInt64BE(BigInt(diskBytes), 48);
  const { cylinders, heads, sectors } = geometry(diskBytes / 512);
  footer.writeUInt16BE(cylinders, 56);
  footer.set([heads, sectors], 58);
  footer.writeUInt32BE(FIXED, 60);
  Buffer.from(id.replaceAll('-', ''), 'hex').copy(footer, 68);
  footer.writeUInt32BE(~footer.reduce((sum, byte) => sum + byte, 0) >>> 0, 64);
  return footer;
}

/** The specification's formula, appendix "CHS Calculation". */
export function geometry(diskSectors: number): { cylinders: number; heads: number; sectors: number } {
  const total = Math.min(diskSectors, 65_535 * 16 * 255);
  if (total >= 65_535 * 16 * 63) return { cylinders: Math.floor(total / 255 / 16), heads: 16, sectors: 255 };
  let sectors = 17;
  let tracks = Math.floor(total / sectors);
  let heads = Math.max(4, Math.floor((tracks + 1023) / 1024));
  if (tracks >= heads * 1024 || heads > 16) {
    sectors = 31;
    heads = 16;
    tracks = Math.floor(total / sectors);
  }
  if (tracks >= heads * 1024) {
    sectors = 63;
    heads = 16;
    tracks = Math.floor(total / sectors);
  }
  return { cylinders: Math.floor(tracks / heads), heads, sectors };
}
