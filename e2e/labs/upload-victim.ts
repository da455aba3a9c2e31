// e2e/labs/upload-victim.ts: an upload by a process that kills itself (-9) after a number of writes: `node upload-victim.ts FILE SHA256 BYTES NAME WRITES`.
import { Secret } from '../../src/base/secret.ts';
import { azurePageBlob } from '../../src/image/publish/azure-page-blob.ts';
import { uploadDisk } from '../../src/image/publish/upload-disk.ts';

const [file = '', sha256 = '', bytes = '', name = '', writes = ''] = process.argv.slice(2);
const connectionString = new Secret(process.env.AZURE_STORAGE_CONNECTION_STRING ?? '');
const blob = await azurePageBlob({ endpoint: '', container: 'images', name }, { connectionString });
let sent = 0;
const mortal: typeof blob = {
  ...blob,
  async write(offset, pages) {
    // Other writes in progress are cut off anywhere.
    if (++sent > Number(writes)) process.kill(process.pid, 'SIGKILL');
    await blob.write(offset, pages);
  },
};
await uploadDisk(mortal, { file, sha256, bytes: Number(bytes) });
