// host/doctor/machine-facts.ts: what `headstart doctor` knows about a machine. It holds no secrets.
import type { Tool } from '../required-tools.ts';

/** A program of the table of required tools. */
export interface ProgramFact extends Tool {
  isThere: boolean;
}

/** Something that was looked for: what was found, or why it cannot be used and what to do. */
export type Presence = { isThere: true; detail: string } | { isThere: false; detail: string; fix: string };

export interface MachineFacts {
  /** `process.platform` and `process.arch`. */
  platform: string;
  arch: string;
  isRoot: boolean;
  /** The version of Node.js that runs headstart. */
  node: string;
  hasApt: boolean;
  /** systemd is the init process. */
  hasSystemd: boolean;
  programs: {
    /** To compress, to reach other machines, to read this machine's boot. */
    boot: readonly ProgramFact[];
    /** For VMs. */
    pool: readonly ProgramFact[];
    /** For the base image of pools. */
    base: readonly ProgramFact[];
    image: readonly ProgramFact[];
    /** Needed by users other than root. */
    user: readonly ProgramFact[];
    node: readonly ProgramFact[];
  };
  /** Of no Debian package. */
  hasKubelet: boolean;
  kvm: 'usable' | 'forbidden' | 'absent';
  /** The result of the last test boot since this machine started; undefined if there was none. */
  kvmTestBoot?: 'kvm' | 'tcg' | undefined;
  hasFirmware: boolean;
  /** Programs of Kubernetes for `cluster up` that are not in the cache. */
  unbuiltPrograms: readonly string[];
  go: Presence;
  kubeconfig: Presence;
  azureSettings: Presence;
  azureLogin: Presence;
}
