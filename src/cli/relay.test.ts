import { spawn } from 'node:child_process';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guestCommands } from './compose/guest-commands.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(answer: (socket: Socket) => void): Promise<string> {
  server = createServer({ allowHalfOpen: true }, answer);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

/** Sends `input`, then ends the stream. */
function relay(
  args: string[],
  input: string | Buffer,
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  const [program, ...rest] = guestCommands({}).relayCommand;
  const child = spawn(program, [...rest, ...args]);
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined); // it has ended
  child.stdin.end(input);
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr })),
  );
}

describe('the relay', () => {
  it('passes on the whole response after the guest has finished sending', async () => {
    const port = await serve((socket) => {
      const seen: Buffer[] = [];
      socket.on('data', (chunk) => seen.push(chunk));
      socket.on('end', () => socket.end(Buffer.concat(seen).reverse()));
    });
    const sent = Buffer.from(Array.from({ length: 2_000_000 }, (_, i) => i % 251));
    const { code, stdout, stderr } = await relay(['127.0.0.1', port], sent);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.equals(Buffer.from(sent).reverse())).toBe(true);
  });

  it('ends when the service does', async () => {
    const port = await serve((socket) => socket.end('bye'));
    const { code, stdout } = await relay(['127.0.0.1', port], '');
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'bye' });
  });

  it.each([
    ['nothing listens', ['127.0.0.1', '1'], 1],
    ['there is no port', ['127.0.0.1'], 2],
    ['the port is not a number', ['127.0.0.1', 'http'], 2],
    ['the port is out of range', ['127.0.0.1', '99999'], 70],
  ])('sends nothing to the guest when %s', async (_, args, code) => {
    const ran = await relay(args, '');
    expect({ ...ran, stdout: ran.stdout.toString() }).toEqual({ code, stdout: '', stderr: '' });
  });
});
