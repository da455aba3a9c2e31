// vms/qemu/machine/machine.ts: what can be done with the QEMU process of an instance? Types only; machines.ts has the functions.

/** `full`: QEMU paused the guest because this machine's disk is full. `paused`: a command paused it, or its memory is not loaded yet. */
export type MachineState = 'off' | 'starting' | 'running' | 'paused' | 'stopping' | 'full' | 'unknown';

/** An instance's folder and VM id together identify its process. */
export interface MachineRef {
  folder: string;
  vmId: string;
}

export interface Machines {
  state(machine: MachineRef): Promise<MachineState>;
  /** Returns when QEMU answers; the guest has only begun to boot then. */
  launch(machine: MachineRef, argv: readonly [string, ...string[]], signal?: AbortSignal): Promise<void>;
  /** Guest port → forwarded port on 127.0.0.1; empty when the machine is off. */
  forwardedPorts(machine: MachineRef): Promise<ReadonlyMap<number, number>>;
  /** Presses the reset button: the guest reboots without shutting down. */
  reset(machine: MachineRef): Promise<void>;
  /** Presses the power button; the guest may ignore it. */
  pressPower(machine: MachineRef): Promise<void>;
  /** The guest stands still and keeps its memory. Safe to repeat, as is `resume`. */
  pause(machine: MachineRef): Promise<void>;
  resume(machine: MachineRef): Promise<void>;
  /** Pauses the guest, writes the state of its devices to a file, and ends the process. Its memory must be a file. */
  freeze(machine: MachineRef, signal?: AbortSignal): Promise<void>;
  /** Loads what `freeze` wrote into a machine that was launched for it. The guest is paused afterwards. */
  load(machine: MachineRef, signal?: AbortSignal): Promise<void>;
  /** The QEMU build of the running process, `7.2.22 (Debian 1:7.2+dfsg-7)`. */
  build(machine: MachineRef): Promise<string>;
  /** Like pulling the plug, but QEMU flushes its caches. Returns when the process is gone. */
  end(machine: MachineRef): Promise<void>;
}
