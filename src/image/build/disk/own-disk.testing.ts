// image/build/disk/own-disk.testing.ts: the header of a standalone qcow2 disk, for tests.

export function qcow2Header(diskBytes: number): Buffer {
  const header = Buffer.alloc(104);
  header.write('QFI\u00fb', 0, 'latin1');
  header.writeUInt32BE(3, 4);
  header.writeUInt32BE(16, 20);
  header.writeBigUInt64BE(BigInt(diskBytes), 24);
  header.writeUInt32BE(4, 96);
  header.writeUInt32BE(104, 100);
  return header;
}
