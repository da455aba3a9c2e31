// e2e/labs/stand-in-qemu.ts: a process that looks like the QEMU of an instance to the code that finds its ports, without a guest:
// `node stand-in-qemu.ts ADDRESS KUBELET-PORT -uuid VM-ID`, run in the instance's folder.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { instanceFiles } from '../../src/vms/qemu/home/layout.ts';

const [address, port] = process.argv.slice(2);
const usernet = `  TCP[HOST_FORWARD]  12        127.0.0.1 ${port}       ${address} 10250     0     0\r\n`;

createServer((client) => {
  const say = (message: object) => client.write(`${JSON.stringify(message)}\n`);
  client.on('error', () => client.destroy());
  say({ QMP: {} });
  createInterface(client).on('line', (line) => {
    const { execute } = JSON.parse(line) as { execute: string };
    say({ return: execute === 'human-monitor-command' ? usernet : {} });
  });
}).listen(instanceFiles.qmp);
