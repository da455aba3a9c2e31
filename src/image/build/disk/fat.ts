// image/build/disk/fat.ts: write a FAT32 file system that firmware reads (Microsoft's fatgen103), with the same bytes every time. The usual tools
// add the time, a random number or the order of a folder, and would be two more packages to install.

export interface FatFile {
  /** `loader/entries/node.conf`. */
  path: string;
  bytes: Uint8Array;
}

export interface FatOptions {
  bytes: number;
  /** Offset of the file system on the disk. */
  startBytes: number;
  /** 32 bits, shown as `1234-ABCD`. */
  serial: number;
  /** At most eleven upper-case letters. */
  label: string;
}

/** Bytes outside all pieces are zero. */
export interface Piece {
  at: number;
  bytes: Buffer;
}

const SECTOR = 512;
const CLUSTER = 1024;
const RESERVED_SECTORS = 32;
/** A file system with fewer clusters counts as FAT16, regardless of its header. */
const LEAST_CLUSTERS = 65_525;
const LAST = 0x0fffffff;
const FOLDER = 0x10;
const FILE = 0x20;
const LABEL = 0x08;
const LONG_NAME = 0x0f;

export function fatFileSystem(files: readonly FatFile[], options: FatOptions): Piece[] {
  const shape = shapeOf(options.bytes);
  const root = treeOf(files);
  let next = 2;
  // Folders and files follow each other, each in one contiguous run of clusters.
  const place = (node: Node): void => {
    node.cluster = next;
    next += clustersOf(node);
    for (const child of node.children ?? []) place(child);
  };
  place(root);
  if (next - 2 > shape.clusters)
    throw new RangeError(`${(next - 2) * CLUSTER} bytes of files do not fit into ${shape.clusters * CLUSTER} bytes`);
  const data = (cluster: number) => shape.dataStart + (cluster - 2) * CLUSTER;
  const pieces: Piece[] = [];
  const fat = Buffer.alloc(4 * next);
  fat.writeUInt32LE(0x0ffffff8, 0);
  fat.writeUInt32LE(LAST, 4);
  const write = (node: Node, parent: Node): void => {
    const bytes = node.children ? folderBytes(node, parent, options.label) : Buffer.from(node.bytes!);
    if (bytes.length > 0) pieces.push({ at: data(node.cluster), bytes });
    const end = node.cluster + clustersOf(node) - 1;
    for (let i = node.cluster; i <= end; i++) fat.writeUInt32LE(i === end ? LAST : i + 1, 4 * i);
    for (const child of node.children ?? []) write(child, node);
  };
  write(root, root);
  const boot = bootSectors(options, shape, next);
  return [
    { at: 0, bytes: boot },
    { at: 6 * SECTOR, bytes: boot },
    { at: RESERVED_SECTORS * SECTOR, bytes: fat },
    { at: (RESERVED_SECTORS + shape.fatSectors) * SECTOR, bytes: fat },
    ...pieces,
  ];
}

interface Node {
  name: string;
  bytes?: Uint8Array;
  children?: Node[];
  cluster: number;
}

function treeOf(files: readonly FatFile[]): Node {
  const root: Node = { name: '', children: [], cluster: 0 };
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const names = path.split('/');
    let folder = root;
    for (const name of names.slice(0, -1)) folder = childFolder(folder, name);
    folder.children!.push(newNode(folder, names.at(-1)!, { bytes }));
  }
  return root;
}

function childFolder(folder: Node, name: string): Node {
  const there = folder.children!.find((one) => one.name === name && one.children);
  if (there) return there;
  const made = newNode(folder, name, { children: [] });
  folder.children!.push(made);
  return made;
}

function newNode(folder: Node, name: string, content: Pick<Node, 'bytes' | 'children'>): Node {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name))
    throw new RangeError(`'${name}' is not a valid name on the EFI partition`);
  // FAT names are case-insensitive.
  if (folder.children!.some((one) => one.name.toUpperCase() === name.toUpperCase()))
    throw new RangeError(`'${name}' occurs twice on the EFI partition`);
  return { name, ...content, cluster: 0 };
}

/** An empty file has no clusters. */
function clustersOf({ bytes, children, name }: Node): number {
  if (bytes) return Math.ceil(bytes.length / CLUSTER);
  const entries = children!.reduce((sum, child) => sum + 1 + longEntries(child.name), name === '' ? 1 : 2);
  return Math.ceil((32 * entries) / CLUSTER);
}

function folderBytes(node: Node, parent: Node, label: string): Buffer {
  const entries: Buffer[] = [];
  if (node.name === '') entries.push(entryOf(label.padEnd(11), LABEL, 0, 0));
  else {
    entries.push(entryOf('.'.padEnd(11), FOLDER, node.cluster, 0));
    entries.push(entryOf('..'.padEnd(11), FOLDER, parent.name === '' ? 0 : parent.cluster, 0)); // entries for the root use cluster 0
  }
  const taken = new Set<string>();
  for (const child of node.children!) {
    const short = shortName(child.name, taken);
    if (longEntries(child.name) > 0) entries.push(longName(child.name, short));
    const size = child.bytes?.length ?? 0;
    entries.push(entryOf(short, child.children ? FOLDER : FILE, child.bytes?.length === 0 ? 0 : child.cluster, size));
  }
  return Buffer.concat(entries);
}

function entryOf(name: string, attribute: number, cluster: number, bytes: number): Buffer {
  const entry = Buffer.alloc(32);
  entry.write(name, 'latin1');
  entry[11] = attribute;
  for (const at of [16, 18, 24]) entry.writeUInt16LE(0x0021, at); // the earliest FAT date, 1980-01-01
  entry.writeUInt16LE(cluster >>> 16, 20);
  entry.writeUInt16LE(cluster & 0xffff, 26);
  entry.writeUInt32LE(bytes, 28);
  return entry;
}

const isShort = (name: string) => /^[A-Z0-9_-]{1,8}(?:\.[A-Z0-9_-]{1,3})?$/.test(name);
const longEntries = (name: string) => (isShort(name) ? 0 : Math.ceil(name.length / 13));

/** An 8.3 name, padded and unique in its folder. */
function shortName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.');
  const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
  const plain = (text: string) => text.toUpperCase().replaceAll('.', '');
  const whole = (start: string) => start.padEnd(8) + plain(extension).slice(0, 3).padEnd(3);
  let short = whole(plain(base).slice(0, 8));
  for (let number = 1; !isShort(name) && (number === 1 || taken.has(short)); number++) {
    const tail = `~${number}`;
    short = whole(plain(base).slice(0, 8 - tail.length) + tail);
  }
  taken.add(short);
  return short;
}

/** Thirteen characters per entry, last part first. */
function longName(name: string, short: string): Buffer {
  const count = longEntries(name);
  const padded = Buffer.alloc(count * 26, 0xff);
  padded.write(`${name}\0`.slice(0, count * 13), 'utf16le');
  const entries = Array.from({ length: count }, (_, index) => {
    const part = padded.subarray(index * 26, (index + 1) * 26);
    const entry = Buffer.alloc(32);
    entry[0] = index + 1 + (index === count - 1 ? 0x40 : 0);
    part.copy(entry, 1, 0, 10);
    entry[11] = LONG_NAME;
    entry[13] = checksum(short);
    part.copy(entry, 14, 10, 22);
    part.copy(entry, 28, 22, 26);
    return entry;
  });
  return Buffer.concat(entries.reverse());
}

const checksum = (short: string) =>
  [...Buffer.from(short, 'latin1')].reduce((sum, byte) => (((sum & 1) << 7) + (sum >> 1) + byte) & 0xff, 0);

interface Shape {
  sectors: number;
  fatSectors: number;
  clusters: number;
  dataStart: number;
}

function shapeOf(bytes: number): Shape {
  const sectors = bytes / SECTOR;
  const perCluster = CLUSTER / SECTOR;
  // Overestimates by a few sectors, because it also reserves clusters for the tables.
  const fatSectors = Math.ceil((4 * ((sectors - RESERVED_SECTORS) / perCluster + 2)) / SECTOR);
  const dataSectors = sectors - RESERVED_SECTORS - 2 * fatSectors;
  const clusters = Math.floor(dataSectors / perCluster);
  if (clusters < LEAST_CLUSTERS) throw new RangeError(`${bytes} bytes are too small for FAT32`);
  return { sectors, fatSectors, clusters, dataStart: (sectors - dataSectors) * SECTOR };
}

/** The boot sector and the FSInfo sector. */
function bootSectors(
  { startBytes, serial, label }: FatOptions,
  { sectors, fatSectors, clusters }: Shape,
  next: number,
): Buffer {
  const both = Buffer.alloc(2 * SECTOR);
  both.set([0xeb, 0x58, 0x90], 0);
  both.write('HEADSTRT', 3, 'latin1');
  both.writeUInt16LE(SECTOR, 11);
  both[13] = CLUSTER / SECTOR;
  both.writeUInt16LE(RESERVED_SECTORS, 14);
  both[16] = 2; // number of tables
  both[21] = 0xf8; // a fixed disk
  both.writeUInt16LE(63, 24);
  both.writeUInt16LE(255, 26);
  both.writeUInt32LE(startBytes / SECTOR, 28);
  both.writeUInt32LE(sectors, 32);
  both.writeUInt32LE(fatSectors, 36);
  both.writeUInt32LE(2, 44); // the root folder's cluster
  both.writeUInt16LE(1, 48);
  both.writeUInt16LE(6, 50); // sector of the backup of these two
  both[64] = 0x80;
  both[66] = 0x29;
  both.writeUInt32LE(serial >>> 0, 67);
  both.write(label.padEnd(11).slice(0, 11), 71, 'latin1');
  both.write('FAT32   ', 82, 'latin1');
  both.set([0x55, 0xaa], 510);
  both.writeUInt32LE(0x41615252, SECTOR);
  both.writeUInt32LE(0x61417272, SECTOR + 484);
  both.writeUInt32LE(clusters - (next - 2), SECTOR + 488);
  both.writeUInt32LE(next, SECTOR + 492);
  both.set([0x55, 0xaa], SECTOR + 510);
  return both;
}
