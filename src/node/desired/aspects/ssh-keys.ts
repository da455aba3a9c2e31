// node/desired/aspects/ssh-keys.ts: who may log in with SSH? Keys are in a folder of root that sshd reads in addition to each user's file, because
// in a home directory a user could redirect the write with a link.
import type { OwnedFile } from '../tree.ts';
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

const KEYS = '/etc/ssh/authorized_keys.d';

export const sshKeysAspect: AspectFunction = ({ ssh }) => {
  const users = Object.entries(ssh.authorizedKeys);
  const files: OwnedFile[] = users.map(([user, keys]) =>
    // sshd reads it at every login.
    textFile(`${KEYS}/${user}`, HEADER + keys.map((key) => `${key}\n`).join(''), {
      aspect: 'ssh-keys',
      class: 0,
      after: [],
    }),
  );
  const settings = [
    ...(users.length > 0 ? [`AuthorizedKeysFile .ssh/authorized_keys ${KEYS}/%u\n`] : []),
    ...(ssh.passwordAuthentication === undefined
      ? []
      : [`PasswordAuthentication ${ssh.passwordAuthentication ? 'yes' : 'no'}\n`]),
  ];
  if (settings.length > 0) {
    files.push(
      textFile('/etc/ssh/sshd_config.d/20-headstart.conf', HEADER + settings.join(''), {
        aspect: 'ssh-keys',
        class: 1,
        after: [{ do: 'reload', unit: 'ssh.service' }],
      }),
    );
  }
  return { files };
};
