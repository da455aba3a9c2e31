// boot/compat/cloud-init/exact/compat-crash.ts: where would the real tool end in a traceback?

/** The verb prints its one line and exits 1, as the real tool does after its traceback. */
export class ToolCrash extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'ToolCrash';
  }
}
