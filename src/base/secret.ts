// base/secret.ts: a value that cannot be printed by accident.
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** Logging, JSON, string templates and stack traces show that there is one, never what it is. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** For the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
