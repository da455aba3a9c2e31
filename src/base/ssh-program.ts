// base/ssh-program.ts: which program connects to another machine, and what can the user do if it is missing?

/** HEADSTART_SSH replaces ssh, like GIT_SSH for git: a program that accepts the arguments of ssh, not a shell string. */
export function sshProgram({ HEADSTART_SSH: named }: Readonly<Record<string, string | undefined>>): string {
  return named || 'ssh';
}

export function sshMissing(program: string): { why: string; next: string } {
  if (program === 'ssh') {
    return {
      why: 'ssh is not installed here',
      next: 'install an ssh client (the package openssh-client), then run this again',
    };
  }
  return {
    why: `cannot start ${program}, which HEADSTART_SSH is set to`,
    next: 'set HEADSTART_SSH to a program that accepts the arguments of ssh, or unset it, then run this again',
  };
}
