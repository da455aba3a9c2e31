// boot/compat/cloud-init/exact/compat-crash.ts: the error for input on which the real tool ends in a traceback.

/** The verb prints the message in one line and exits with 1, as the real tool does after its traceback. */
export class ToolCrash extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'ToolCrash';
  }
}
