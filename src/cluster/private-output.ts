// cluster/private-output.ts: how does a secret come back from a node if the output passes through a pod's log, which others collect?
import { constants, createDecipheriv, generateKeyPairSync, pbkdf2Sync, privateDecrypt } from 'node:crypto';
import { TransientError, UserError } from '../base/errors.ts';
import type { ScriptResult } from './cluster.ts';

export interface PrivateOutput {
  /** The script, wrapped: its standard output leaves the node encrypted to a key that exists only in this process. */
  script: string;
  /** The result as if the script had been run plainly. */
  open(result: ScriptResult): ScriptResult;
}

/** The default of `openssl enc -pbkdf2`. */
const ROUNDS = 10_000;
const NO_OPENSSL = 126;

/** Needs openssl on the node, which every node with the Azure guest agent has. Standard error is not encrypted. */
export function privateOutput(script: string): PrivateOutput {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
  return {
    script: wrap(script, publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    open: (result) => {
      if (result.exitCode === NO_OPENSSL) throw noOpenssl();
      const lines = new Map(result.stdout.split('\n').map((line) => split(line)));
      const [key, data] = [lines.get('key'), lines.get('data')];
      if (!key || !data) throw new TransientError('the output of a script is incomplete', { code: 'cluster/run-cut' });
      const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
      return { ...result, stdout: decrypt(data, privateDecrypt(oaep, key)) };
    },
  };
}

/** Base64 avoids quoting. The pass phrase is in a file in memory, because other users can see arguments. */
function wrap(script: string, publicKey: string): string {
  const encoded = Buffer.from(script).toString('base64');
  return `umask 077
command -v openssl >/dev/null || exit ${NO_OPENSSL}
d=$(mktemp -d /run/headstart-private.XXXXXX) || exit 125
trap 'rm -rf "$d"' EXIT
printf '%s' '${publicKey}' >"$d/public"
openssl rand -hex 32 | tr -d '\\n' >"$d/key" || exit 125
/bin/sh -c "$(echo ${encoded} | base64 -d)" headstart >"$d/out"
c=$?
printf 'key %s\\n' "$(openssl pkeyutl -encrypt -pubin -inkey "$d/public" -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -in "$d/key" | base64 | tr -d '\\n')"
printf 'data %s\\n' "$(openssl enc -aes-256-cbc -pbkdf2 -md sha256 -pass "file:$d/key" -in "$d/out" | base64 | tr -d '\\n')"
exit $c
`;
}

function split(line: string): [string, Buffer] {
  const [name = '', value = ''] = line.split(' ');
  return [name, Buffer.from(value, 'base64')];
}

/** `Salted__`, eight bytes of salt, then the text. */
function decrypt(data: Buffer, passPhrase: Buffer): string {
  const derived = pbkdf2Sync(passPhrase, data.subarray(8, 16), ROUNDS, 48, 'sha256');
  const decipher = createDecipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32));
  return Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]).toString();
}

function noOpenssl(): UserError {
  return new UserError('the node has no openssl, so nothing secret can be read from it safely', {
    code: 'cluster/no-openssl',
    kept: 'Nothing was read.',
    next: 'install openssl on the node, or provide the value yourself',
    exitCode: 1,
  });
}
