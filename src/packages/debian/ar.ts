// packages/debian/ar.ts: packs files into an ar archive, the outer format of a Debian package. Its header is too simple for a library.

export interface ArMember {
  name: string;
  bytes: Uint8Array;
}

/** `mtime` in seconds. Root owns everything. */
export function arOf(members: readonly ArMember[], mtime: number): Buffer {
  return Buffer.concat([Buffer.from('!<arch>\n'), ...members.flatMap((member) => renderMember(member, mtime))]);
}

function renderMember({ name, bytes }: ArMember, mtime: number): Uint8Array[] {
  if (!/^[\w.-]{1,16}$/.test(name)) throw new Error(`not a name for an ar archive: ${name}`);
  const fields = [name.padEnd(16), `${mtime}`.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)];
  const header = Buffer.from(`${fields.join('')}${`${bytes.length}`.padEnd(10)}\`\n`);
  return [header, bytes, Buffer.from(bytes.length % 2 === 0 ? '' : '\n')];
}
